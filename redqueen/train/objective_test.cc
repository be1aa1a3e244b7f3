#include "redqueen/train/objective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/train/aggregation.h"
#include "redqueen/train/testing/oracle.h"

namespace redqueen {
namespace {

// Everything that an objective reads, for responses of random length.
struct Tokens {
  std::vector<std::size_t> lengths;
  std::vector<float> log_probs, entropy, old, sampler, reference, advantages;
  std::vector<double> coefficients;
  std::vector<std::uint8_t> likelihood;

  ObjectiveInput input(bool has_old) const {
    return {.log_probs = log_probs,
            .entropy = entropy,
            .old_log_probs = has_old ? std::span(old) : std::span<const float>(),
            .sampler_log_probs = sampler,
            .reference_log_probs = reference,
            .advantages = advantages,
            .coefficients = coefficients,
            .likelihood = likelihood};
  }
};

Tokens random_input(Rng& rng, const AggregationOptions& aggregation, bool with_likelihood) {
  Tokens tokens;
  ScoredGroup group;
  for (int i = 0; i < 7; ++i) {
    const std::size_t length = rng.integer(1, 9);
    tokens.lengths.push_back(length);
    group.rollouts.emplace_back();
    group.rollouts.back().completion.tokens.resize(length);
    const auto advantage = static_cast<float>(rng.normal());
    const bool likelihood = with_likelihood && rng.chance(0.4);
    for (std::size_t k = 0; k < length; ++k) {
      const double base = -rng.real(0.05, 3);
      const auto near = [&] { return static_cast<float>(base + rng.normal() * 0.4); };
      tokens.log_probs.push_back(near());
      tokens.old.push_back(near());
      tokens.sampler.push_back(near());
      tokens.reference.push_back(near());
      tokens.entropy.push_back(static_cast<float>(rng.real(0, 3)));
      tokens.advantages.push_back(advantage);
      tokens.likelihood.push_back(likelihood ? 1 : 0);
    }
  }
  const auto coefficients = token_coefficients({&group, 1}, aggregation);
  for (std::size_t i = 0; i < tokens.lengths.size(); ++i) {
    tokens.coefficients.insert(tokens.coefficients.end(), tokens.lengths[i], coefficients[i]);
  }
  return tokens;
}

struct ObjectiveCase {
  ObjectiveOptions options;
  std::string kl, aggregation;
  bool has_old = true;
  Tokens tokens;
};

nlohmann::json to_json(const ObjectiveCase& c) {
  const Tokens& tokens = c.tokens;
  return {{"options",
           {{"clip_low", c.options.clip_low},
            {"clip_high", c.options.clip_high},
            {"dual_clip", c.options.dual_clip},
            {"importance_cap", c.options.importance_cap},
            {"kl", c.kl},
            {"kl_coefficient", c.options.kl_coefficient},
            {"entropy_coefficient", c.options.entropy_coefficient}}},
          {"has_old", c.has_old},
          {"aggregation", c.aggregation},
          {"constant_length", 12},
          {"lengths", tokens.lengths},
          {"input",
           {{"log_probs", tokens.log_probs},
            {"entropy", tokens.entropy},
            {"old_log_probs", tokens.old},
            {"sampler_log_probs", tokens.sampler},
            {"reference_log_probs", tokens.reference},
            {"advantages", tokens.advantages},
            {"likelihood", tokens.likelihood}}}};
}

// Every combination of the choices there are.
std::vector<ObjectiveCase> all_cases() {
  Rng rng({.seed = 7, .purpose = hash_name("objective_test")});
  std::vector<ObjectiveCase> cases;
  for (const std::string kl : {"k1", "k2", "k3"}) {
    for (const std::string name : {"token_mean", "sequence_mean", "constant_length"}) {
      for (int bits = 0; bits < 64; ++bits) {
        const auto on = [&](int bit, double value) { return (bits >> bit & 1) != 0 ? value : 0; };
        ObjectiveCase c;
        c.kl = kl;
        c.aggregation = name;
        c.options = {.clip_low = 0.2,
                     .clip_high = 0.28,
                     .dual_clip = on(0, 1.5),
                     .kl = kKlEstimatorNames.find(kl).value(),
                     .kl_coefficient = on(1, 0.3),
                     .entropy_coefficient = on(2, 0.1),
                     .importance_cap = on(3, 1.2)};
        c.has_old = on(4, 1) != 0;
        c.tokens = random_input(rng, {kAggregationNames.find(name).value(), 12}, on(5, 1) != 0);
        cases.push_back(std::move(c));
      }
    }
  }
  return cases;
}

TEST(Objective, LossAndGradientsEqualPyTorchs) {
  const std::vector<ObjectiveCase> cases = all_cases();
  nlohmann::json question = nlohmann::json::array();
  for (const ObjectiveCase& c : cases) question.push_back(to_json(c));
  const auto answers = ask_oracle("objective_oracle.py", question);
  if (!answers) GTEST_SKIP() << ".venv has no PyTorch";
  ASSERT_EQ(answers->size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const ObjectiveCase& c = cases[i];
    const nlohmann::json& expected = (*answers)[i];
    const ObjectiveResult result = objective(c.tokens.input(c.has_old), c.options);
    SCOPED_TRACE(question[i]["options"].dump());
    ASSERT_NEAR(result.loss, expected["loss"].get<double>(), 1e-9);
    ASSERT_EQ(result.entropy_gradient.empty(), c.options.entropy_coefficient == 0);
    for (std::size_t t = 0; t < c.tokens.log_probs.size(); ++t) {
      ASSERT_NEAR(result.log_prob_gradient[t], expected["log_prob_gradient"][t].get<double>(),
                  1e-6);
      if (!result.entropy_gradient.empty()) {
        ASSERT_NEAR(result.entropy_gradient[t], expected["entropy_gradient"][t].get<double>(),
                    1e-7);
      }
    }
    EXPECT_EQ(result.first_non_finite, -1);
  }
}

// Cutting the tokens into pieces changes neither loss nor gradients nor counts: what accumulation
// rests on.
TEST(Objective, IsASumOverTokens) {
  Rng rng({.seed = 8, .purpose = hash_name("objective_test")});
  const Tokens all = random_input(rng, {}, true);
  const ObjectiveOptions options{.dual_clip = 2, .kl_coefficient = 0.1, .importance_cap = 1.5};
  const ObjectiveResult whole = objective(all.input(true), options);
  double loss = 0;
  ObjectiveSums sums;
  for (std::size_t t = 0; t < all.log_probs.size(); ++t) {
    ObjectiveInput one = all.input(true);
    for (auto* span : {&one.log_probs, &one.entropy, &one.old_log_probs, &one.sampler_log_probs,
                       &one.reference_log_probs, &one.advantages}) {
      *span = span->subspan(t, 1);
    }
    one.coefficients = one.coefficients.subspan(t, 1);
    one.likelihood = one.likelihood.subspan(t, 1);
    const ObjectiveResult part = objective(one, options);
    loss += part.loss;
    sums += part.sums;
    EXPECT_EQ(part.log_prob_gradient[0], whole.log_prob_gradient[t]);
  }
  EXPECT_NEAR(loss, whole.loss, 1e-12);
  EXPECT_EQ(sums.tokens, whole.sums.tokens);
  EXPECT_EQ(sums.clipped_high, whole.sums.clipped_high);
  EXPECT_EQ(sums.max_ratio, whole.sums.max_ratio);
  EXPECT_NEAR(sums.old_kl, whole.sums.old_kl, 1e-9);
  EXPECT_EQ(sums.clipped_low, whole.sums.clipped_low);
  EXPECT_EQ(sums.dual_clipped, whole.sums.dual_clipped);
  EXPECT_NEAR(sums.reference_kl, whole.sums.reference_kl, 1e-9);
  EXPECT_NEAR(sums.entropy, whole.sums.entropy, 1e-9);
  EXPECT_NEAR(sums.ratio, whole.sums.ratio, 1e-9);
  EXPECT_EQ(sums.min_ratio, whole.sums.min_ratio);
  EXPECT_NEAR(sums.importance, whole.sums.importance, 1e-9);
  EXPECT_EQ(sums.importance_capped, whole.sums.importance_capped);
  EXPECT_EQ(sums.compared, whole.sums.compared);
  EXPECT_NEAR(sums.mismatch, whole.sums.mismatch, 1e-9);
  EXPECT_EQ(sums.max_mismatch, whole.sums.max_mismatch);
  EXPECT_NEAR(sums.sampler_kl, whole.sums.sampler_kl, 1e-9);
  EXPECT_GT(whole.sums.clipped_low + whole.sums.clipped_high, 0);
}

// The sums that a step's metrics are made of, by their definitions in objective.h.
TEST(Objective, CountsTokensByTheirRatiosAndWeights) {
  Rng rng({.seed = 11, .purpose = hash_name("objective_test")});
  const ObjectiveOptions options{
      .clip_low = 0.2, .clip_high = 0.28, .dual_clip = 1.5, .importance_cap = 1.2};
  for (int i = 0; i < 20; ++i) {
    const Tokens tokens = random_input(rng, {}, i % 2 == 1);
    double low = 0, high = 0, dual = 0, capped = 0, least = INFINITY, most = 0, mismatch = 0;
    for (std::size_t t = 0; t < tokens.log_probs.size(); ++t) {
      const double ratio = std::exp(double{tokens.log_probs[t]} - tokens.old[t]);
      const double weight = std::exp(double{tokens.old[t]} - tokens.sampler[t]);
      least = std::min(least, ratio);
      most = std::max(most, ratio);
      capped += weight >= 1.2;
      mismatch += std::abs(double{tokens.old[t]} - tokens.sampler[t]);
      if (tokens.likelihood[t] != 0) continue;
      low += tokens.advantages[t] < 0 && ratio < 0.8;
      high += tokens.advantages[t] > 0 && ratio > 1.28;
      dual += tokens.advantages[t] < 0 && ratio > 1.5;
    }
    const ObjectiveSums sums = objective(tokens.input(true), options).sums;
    EXPECT_EQ(sums.clipped_low, low);
    EXPECT_EQ(sums.clipped_high, high);
    EXPECT_EQ(sums.dual_clipped, dual);
    EXPECT_EQ(sums.importance_capped, capped);
    EXPECT_GT(sums.importance_capped, 0);
    EXPECT_DOUBLE_EQ(sums.min_ratio, least);
    EXPECT_DOUBLE_EQ(sums.max_ratio, most);
    EXPECT_NEAR(sums.mismatch, mismatch, 1e-9);
  }
}

// Sampler and trainer are compared where both have the same parameters.
TEST(Objective, ComparesTheSamplerWithTheSameParameters) {
  const std::vector<float> now{-1.0F}, old{-1.5F}, sampler{-1.75F}, advantages{1.0F};
  const std::vector<double> coefficients{1.0};
  const auto mismatch = [&](bool old_is_sampler, bool same_policy) {
    ObjectiveInput input{.log_probs = now,
                         .old_log_probs = old_is_sampler ? sampler : old,
                         .sampler_log_probs = sampler,
                         .advantages = advantages,
                         .coefficients = coefficients,
                         .old_is_sampler = old_is_sampler,
                         .same_policy = same_policy};
    const ObjectiveSums sums = objective(input, {}).sums;
    EXPECT_EQ(sums.max_mismatch, sums.mismatch);
    return sums.compared == 0 ? -1 : sums.mismatch / sums.compared;
  };
  EXPECT_EQ(mismatch(false, true), 0.25) << "the policy before the step";
  EXPECT_EQ(mismatch(false, false), 0.25);
  EXPECT_EQ(mismatch(true, true), 0.75) << "the policy now, which is that before the step";
  EXPECT_EQ(mismatch(true, false), -1) << "the policy now is another";
}

TEST(Objective, EstimatesTheEntropyWhereItIsNotGiven) {
  const std::vector<float> now{-1.0F, -2.0F}, advantages{1.0F, 1.0F}, entropy{0.5F, 0.25F};
  const std::vector<double> coefficients{1.0, 1.0};
  ObjectiveInput input{.log_probs = now, .advantages = advantages, .coefficients = coefficients};
  EXPECT_EQ(objective(input, {}).sums.entropy, 3.0);
  input.entropy = entropy;
  EXPECT_EQ(objective(input, {}).sums.entropy, 0.75);
}

TEST(Objective, OnPolicyNothingIsClippedAndTheRatioIsOne) {
  Rng rng({.seed = 9, .purpose = hash_name("objective_test")});
  const Tokens tokens = random_input(rng, {}, false);
  const ObjectiveSums sums = objective(tokens.input(false), {}).sums;
  EXPECT_EQ(sums.clipped_low + sums.clipped_high, 0);
  EXPECT_EQ(sums.ratio, sums.tokens);
  EXPECT_EQ(sums.min_ratio, 1);
  EXPECT_EQ(sums.max_ratio, 1);
  EXPECT_EQ(sums.old_kl, 0);
}

TEST(Objective, FarApartPoliciesOverflowNothing) {
  for (const float old : {-500.0F, -1e30F, 0.0F}) {
    for (const float advantage : {-3.0F, 3.0F}) {
      const std::vector<float> now{-200.0F};
      const std::vector<float> other{old};
      const std::vector<float> advantages{advantage};
      const std::vector<double> coefficients{1.0};
      for (const auto kl : {KlEstimator::kK1, KlEstimator::kK2, KlEstimator::kK3}) {
        const ObjectiveResult result =
            objective({now, {}, other, other, other, advantages, coefficients, {}},
                      {.dual_clip = 3, .kl = kl, .kl_coefficient = 0.01, .importance_cap = 2});
        EXPECT_TRUE(std::isfinite(result.log_prob_gradient[0]));
      }
    }
  }
}

TEST(Objective, HoldsDifferencesWithinTwenty) {
  const std::vector<float> now{-1.0F}, old{-51.0F}, advantages{-3.0F};
  const std::vector<double> coefficients{1.0};
  const ObjectiveResult result = objective({.log_probs = now,
                                            .old_log_probs = old,
                                            .advantages = advantages,
                                            .coefficients = coefficients},
                                           {});
  EXPECT_DOUBLE_EQ(result.loss, 3 * std::exp(20.0));
  EXPECT_EQ(result.log_prob_gradient[0], 0.0F);
}

TEST(Objective, NamesTheFirstTokenThatIsNotFinite) {
  Rng rng({.seed = 10, .purpose = hash_name("objective_test")});
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    Tokens tokens = random_input(rng, {}, false);
    const std::size_t place =
        rng.integer(0, static_cast<std::int64_t>(tokens.log_probs.size()) - 1);
    tokens.log_probs[place] = bad;
    tokens.log_probs.back() = NAN;
    EXPECT_EQ(objective(tokens.input(true), {}).first_non_finite, static_cast<std::int64_t>(place));
  }
}

}  // namespace
}  // namespace redqueen
