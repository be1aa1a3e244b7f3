// Responses of several turns: what the policy was given to read between its own tokens is attended
// to, and neither trained nor counted.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "redqueen/base/testing/folder.h"
#include "redqueen/train/embedded_trainer.h"
#include "redqueen/train/network_pass.h"
#include "redqueen/train/testing/groups.h"
#include "redqueen/train/testing/oracle.h"
#include "redqueen/train/testing/policies.h"

namespace redqueen {
namespace {

constexpr int kGivenTokensVocabulary = 16;

using Gradients = std::map<std::string, std::vector<float>>;

Transformer given_tokens_fresh() {
  return Transformer::initialise(tiny_config(kGivenTokensVocabulary), 5);
}

Gradients gradients_of(const Transformer& model) {
  Gradients all;
  for (const NamedTensor& parameter : model.parameters()) {
    all[parameter.name] = values_of(parameter.tensor.grad());
  }
  return all;
}

std::vector<ScoredGroup> turn_groups(std::uint64_t seed,
                                     AdvantageRule rule = AdvantageRule::kGroupNormalised) {
  Rng rng({.seed = seed, .purpose = hash_name("given_tokens_test")});
  return random_groups(
      rng,
      {.min_response = 0, .max_response = 16, .vocab_size = kGivenTokensVocabulary, .turns = true},
      rule);
}

// One flag a token of a response: 1 where the policy drew it.
std::vector<int> drawn_flags(const ScoredRollout& rollout) {
  std::vector<int> flags(rollout.completion.tokens.size(), 1);
  for (const TokenRun& run : rollout.given) {
    for (std::size_t t = run.begin; t < run.end; ++t) flags[t] = 0;
  }
  return flags;
}

// A batch as the trainer lays it out, and the same for PyTorch: every token, and a flag.
struct GivenTokensCase {
  std::vector<ScoredGroup> groups;
  StepBatch batch;
  nlohmann::json question;
};

// Groups 0, 2, … have group-normalised advantages, the others weights of a likelihood. What other
// policies say of a token is near to what the model says, and far off where the token was given.
void fill(GivenTokensCase& c, Rng& rng, const Transformer& model) {
  for (std::size_t g = 1; g < c.groups.size(); g += 2) c.groups[g].rule = AdvantageRule::kWeight;
  std::vector<float> old, reference, all_old, all_reference, all_sampler, all_advantages;
  std::vector<int> drawn, likelihood;
  std::vector<std::size_t> lengths;
  c.question["sequences"] = nlohmann::json::array();
  const auto rollout_advantages = advantages(c.groups);
  std::size_t number = 0;
  for (ScoredGroup& group : c.groups) {
    for (ScoredRollout& rollout : group.rollouts) {
      const std::vector<Token>& tokens = rollout.completion.tokens;
      const TokenGroup one{group.prompt, {tokens}};
      const auto scores = score_tokens(model, {&one, 1}, {});
      const std::vector<int> flags = drawn_flags(rollout);
      for (std::size_t t = 0; t < tokens.size(); ++t) {
        const auto near = [&] {
          return flags[t] == 0 ? -9.0F : scores[t] + static_cast<float>(rng.normal() * 0.3);
        };
        all_old.push_back(near());
        all_reference.push_back(near());
        all_sampler.push_back(near());
        rollout.completion.log_probs[t] = all_sampler.back();
        if (flags[t] != 0) old.push_back(all_old.back());
        if (flags[t] != 0) reference.push_back(all_reference.back());
        all_advantages.push_back(static_cast<float>(rollout_advantages[number]));
        likelihood.push_back(group.rule == AdvantageRule::kWeight ? 1 : 0);
      }
      drawn.insert(drawn.end(), flags.begin(), flags.end());
      lengths.push_back(tokens.size());
      c.question["sequences"].push_back({group.prompt, tokens});
      ++number;
    }
  }
  c.batch = lay_out(c.groups, kAdvantageEpsilon);
  c.batch.old_log_probs = old;
  c.batch.reference_log_probs = reference;
  c.question["drawn"] = drawn;
  c.question["lengths"] = lengths;
  c.question["input"] = {{"old_log_probs", all_old},
                         {"reference_log_probs", all_reference},
                         {"sampler_log_probs", all_sampler},
                         {"advantages", all_advantages},
                         {"likelihood", likelihood}};
}

struct Variant {
  ObjectiveOptions objective;
  std::string kl;
  Aggregation aggregation;
  std::string aggregation_name;
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const auto& [rule, name] : {std::pair{Aggregation::kTokenMean, "token_mean"},
                                   {Aggregation::kSequenceMean, "sequence_mean"},
                                   {Aggregation::kConstantLength, "constant_length"}}) {
    all.push_back({{}, "k3", rule, name});
    all.push_back({{.dual_clip = 1.5, .entropy_coefficient = 0.1}, "k3", rule, name});
    all.push_back({{.importance_cap = 1.2}, "k3", rule, name});
    all.push_back({{.kl = KlEstimator::kK1, .kl_coefficient = 0.3}, "k1", rule, name});
    all.push_back({{.kl = KlEstimator::kK2, .kl_coefficient = 0.3}, "k2", rule, name});
    all.push_back({{.kl = KlEstimator::kK3, .kl_coefficient = 0.3, .entropy_coefficient = 0.1},
                   "k3",
                   rule,
                   name});
  }
  return all;
}

struct Pass {
  double loss = 0;
  ObjectiveSums sums;
};

// Loss and gradients of a batch cut into small micro-batches.
Pass run(const Transformer& model, const StepBatch& batch, const ObjectiveOptions& objective,
         const AggregationOptions& aggregation) {
  const auto coefficients = token_coefficients(batch.groups, aggregation);
  Pass pass;
  for (const MicroBatch& part : pack(batch, {0, batch.groups.size()}, {.micro_batch_tokens = 60})) {
    const ObjectiveResult result = forward_backward(
        model, token_groups(batch, part), {.entropy = objective.entropy_coefficient != 0},
        token_terms(batch, part, coefficients, 0), objective);
    EXPECT_EQ(result.first_non_finite, -1);
    pass.loss += result.loss;
    pass.sums += result.sums;
  }
  return pass;
}

TEST(GivenTokens, LossAndGradientsEqualPyTorchs) {
  const TestFolder folder;
  ASSERT_TRUE(
      EmbeddedTrainer::create(given_tokens_fresh(), {}).value()->save(folder.path() / "state"));
  Rng rng({.seed = 1, .purpose = hash_name("given_tokens_test")});
  const std::vector<Variant> all = variants();
  std::vector<GivenTokensCase> cases(all.size());
  nlohmann::json questions = nlohmann::json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    GivenTokensCase& c = cases[i];
    c.groups = turn_groups(100 + i);
    fill(c, rng, given_tokens_fresh());
    const ObjectiveOptions& objective = all[i].objective;
    c.question["model"] = (folder.path() / "state" / "policy").string();
    c.question["has_old"] = true;
    c.question["aggregation"] = all[i].aggregation_name;
    c.question["constant_length"] = 12;
    c.question["options"] = {{"clip_low", objective.clip_low},
                             {"clip_high", objective.clip_high},
                             {"dual_clip", objective.dual_clip},
                             {"importance_cap", objective.importance_cap},
                             {"kl", all[i].kl},
                             {"kl_coefficient", objective.kl_coefficient},
                             {"entropy_coefficient", objective.entropy_coefficient}};
    questions.push_back(c.question);
  }
  const auto answers = ask_oracle("objective_oracle.py", questions);
  if (!answers) GTEST_SKIP() << ".venv has no PyTorch, or no transformers";
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(questions[i]["options"].dump() + all[i].aggregation_name);
    const nlohmann::json& expected = (*answers)[i];
    const Transformer model = given_tokens_fresh();
    const Pass pass = run(model, cases[i].batch, all[i].objective, {all[i].aggregation, 12});
    EXPECT_NEAR(pass.loss, expected["loss"].get<double>(), 1e-5);
    EXPECT_EQ(pass.sums.tokens, expected["drawn"].get<double>());
    if (all[i].objective.entropy_coefficient != 0) {
      EXPECT_NEAR(pass.sums.entropy, expected["entropy"].get<double>(), 1e-3);
    }
    for (const auto& [name, values] : gradients_of(model)) {
      const auto theirs = expected["gradients"].at(name).get<std::vector<double>>();
      ASSERT_EQ(values.size(), theirs.size()) << name;
      for (std::size_t k = 0; k < values.size(); ++k) {
        ASSERT_NEAR(values[k], theirs[k], 2e-6 + 1e-4 * std::abs(theirs[k])) << name << " " << k;
      }
    }
  }
}

// Two turns with what a tool said between them, and one other response.
std::vector<ScoredGroup> two_turns() {
  ScoredRollout turns{
      .completion = {.tokens = {3, 4, 9, 8, 7, 5, 0}}, .reward = 1, .given = {{2, 5}}};
  ScoredRollout plain{.completion = {.tokens = {6, 1, 0}}, .reward = 0};
  return {{.role = "solver",
           .task = "tool",
           .rule = AdvantageRule::kGroupMean,
           .prompt = {1, 2, 11},
           .rollouts = {turns, plain}}};
}

// On the sampling policy the loss of a token has the derivative −A c by its log-probability.
TEST(GivenTokens, TwoTurnsHaveTheGradientOfHandMadeCoefficients) {
  const auto groups = two_turns();
  const Transformer model = given_tokens_fresh();
  const Pass pass =
      run(model, lay_out(groups, kAdvantageEpsilon), {}, {Aggregation::kSequenceMean});
  EXPECT_EQ(pass.sums.tokens, 4 + 3);

  const Transformer same = given_tokens_fresh();
  const TokenGroup whole{groups[0].prompt, {groups[0].rollouts[0].completion.tokens, {6, 1, 0}}};
  const float a = -0.5F / 8, b = 0.5F / 6;  // advantages ±½, two responses of 4 and 3 drawn tokens
  const at::Tensor slopes = at::tensor({a, a, 0.0F, 0.0F, 0.0F, a, a, b, b, b});
  at::dot(same.score({&whole, 1}, {}).log_probs, slopes).backward();
  const Gradients masked = gradients_of(model), by_hand = gradients_of(same);
  double largest = 0;
  for (const auto& [name, values] : by_hand) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      largest = std::max<double>(largest, std::abs(values[k]));
      ASSERT_NEAR(masked.at(name)[k], values[k], 1e-6) << name << " " << k;
    }
  }
  EXPECT_GT(largest, 1e-3);
}

TrainerOptions recomputing() {
  TrainerOptions options;
  options.old_log_probs = OldLogProbs::kRecomputed;
  options.schedule.peak = 0.01;
  return options;
}

std::vector<float> trained(const std::vector<ScoredGroup>& groups, const TrainerOptions& options) {
  const Transformer model = given_tokens_fresh();
  const auto report = EmbeddedTrainer::create(model, options).value()->step(groups);
  EXPECT_TRUE(report.has_value()) << report.error().message;
  return weights_of(model);
}

TEST(GivenTokens, WhatNothingDrawnAttendsToChangesNothing) {
  auto groups = two_turns();
  const auto middle = trained(groups, recomputing());
  append_given(groups[0].rollouts[0], std::vector<Token>{12, 13}, "");
  EXPECT_EQ(trained(groups, recomputing()), middle) << "nothing was drawn after it";
  groups[0].rollouts[0].completion.tokens.back() = 1;
  EXPECT_EQ(trained(groups, recomputing()), middle);
  groups[0].rollouts[0].completion.tokens[3] = 14;
  EXPECT_NE(trained(groups, recomputing()), middle) << "the second turn attends to it";
}

TEST(GivenTokens, AResponseThatIsGivenWholeCountsForNothing) {
  for (const auto rule :
       {Aggregation::kTokenMean, Aggregation::kSequenceMean, Aggregation::kConstantLength}) {
    TrainerOptions options = recomputing();
    options.aggregation.rule = rule;
    auto groups = two_turns();
    groups[0].rule = AdvantageRule::kWeight;
    const auto without = trained(groups, options);
    groups[0].rollouts.push_back(
        {.completion = {.tokens = {5, 6, 7}}, .reward = 3, .given = {{0, 2}, {2, 3}}});
    EXPECT_EQ(trained(groups, options), without);
  }
}

TEST(GivenTokens, AreInNoMeanOfTheReport) {
  auto groups = turn_groups(2);
  double drawn = 0;
  for (ScoredGroup& group : groups) {
    for (ScoredRollout& rollout : group.rollouts) {
      const auto flags = drawn_flags(rollout);
      for (std::size_t t = 0; t < flags.size(); ++t) {
        if (flags[t] == 0) rollout.completion.log_probs[t] = -50;  // far from the policy's
        drawn += flags[t];
      }
    }
  }
  TrainerOptions options;
  options.objective.entropy_coefficient = 1e-30;  // no response is skipped
  const auto report = EmbeddedTrainer::create(given_tokens_fresh(), options).value()->step(groups);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->response_tokens, drawn);
  EXPECT_EQ(report->sums.tokens, drawn);
  EXPECT_EQ(report->sums.compared, drawn);
  EXPECT_LT(report->sums.max_mismatch, 10);
  EXPECT_LT(report->sums.max_ratio, std::exp(10));
}

TEST(GivenTokens, AFaultIsLookedForAndNamedAmongDrawnTokens) {
  auto groups = two_turns();
  for (ScoredRollout& rollout : groups[0].rollouts) {
    rollout.completion.log_probs.assign(rollout.completion.tokens.size(), -2.0F);
  }
  groups[0].rollouts[0].completion.log_probs[3] = NAN;  // nobody reads it
  const auto trainer = EmbeddedTrainer::create(given_tokens_fresh(), {}).value();
  EXPECT_TRUE(trainer->step(groups).has_value());
  groups[0].rollouts[0].completion.log_probs[6] = NAN;
  const auto report = trainer->step(groups);
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.error().message.find("token 6 of rollout 0 of group 0"), std::string::npos)
      << report.error().message;
}

TEST(GivenTokens, MalformedRunsAreRefused) {
  const auto trainer = EmbeddedTrainer::create(given_tokens_fresh(), recomputing()).value();
  const auto refusal = [&](std::vector<TokenRun> runs) {
    auto groups = two_turns();
    groups[0].rollouts[0].given = std::move(runs);
    const auto report = trainer->step(groups);
    return report ? std::string("accepted") : report.error().message;
  };
  EXPECT_EQ(refusal({{0, 2}, {2, 7}}), "accepted");
  const std::string beyond = refusal({{5, 8}});
  EXPECT_NE(beyond.find("rollout 0 of group 0"), std::string::npos) << beyond;
  EXPECT_NE(beyond.find("[5, 8) goes beyond its 7 tokens"), std::string::npos) << beyond;
  EXPECT_NE(refusal({{0, 3}, {2, 4}}).find("[2, 4) begins before"), std::string::npos);
  EXPECT_NE(refusal({{4, 5}, {1, 2}}).find("[1, 2) begins before"), std::string::npos);
  EXPECT_NE(refusal({{3, 3}}).find("[3, 3) has no tokens"), std::string::npos);
  EXPECT_NE(refusal({{4, 2}}).find("[4, 2) has no tokens"), std::string::npos);
}

}  // namespace
}  // namespace redqueen
