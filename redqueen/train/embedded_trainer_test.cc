#include "redqueen/train/embedded_trainer.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>

#include "redqueen/base/testing/folder.h"
#include "redqueen/train/network_pass.h"
#include "redqueen/train/testing/groups.h"
#include "redqueen/train/testing/policies.h"
#include "redqueen/train/testing/smooth_options.h"

namespace redqueen {
namespace {

constexpr int kEmbeddedTrainerVocabulary = 16;

std::unique_ptr<EmbeddedTrainer> make_trainer(const TrainerOptions& options,
                                              const Transformer& transformer) {
  auto trainer = EmbeddedTrainer::create(transformer, options);
  EXPECT_TRUE(trainer.has_value()) << trainer.error().message;
  return std::move(*trainer);
}

Transformer embedded_trainer_fresh() {
  return Transformer::initialise(tiny_config(kEmbeddedTrainerVocabulary), 5);
}

// The log-probabilities that a sampler of exactly this policy would have left.
void set_true_log_probs(std::vector<ScoredGroup>& groups, const Transformer& transformer) {
  for (ScoredGroup& group : groups) {
    for (ScoredRollout& rollout : group.rollouts) {
      const TokenGroup one{group.prompt, {rollout.completion.tokens}};
      rollout.completion.log_probs = score_tokens(transformer, {&one, 1}, {});
    }
  }
}

std::vector<ScoredGroup> embedded_trainer_groups(
    std::uint64_t seed, AdvantageRule rule = AdvantageRule::kGroupNormalised) {
  Rng rng({.seed = seed, .purpose = hash_name("embedded_trainer_test")});
  return random_groups(rng, {.vocab_size = kEmbeddedTrainerVocabulary}, rule);
}

void expect_near(const std::vector<float>& a, const std::vector<float>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << i;
}

class EveryAggregation : public testing::TestWithParam<Aggregation> {};

// However a batch is cut and whether prompts are shared, the update is that of the whole.
TEST_P(EveryAggregation, AccumulationDoesNotChangeTheUpdate) {
  TrainerOptions options = smooth_options();
  options.aggregation.rule = GetParam();
  options.objective.entropy_coefficient = 0.01;
  const auto groups = embedded_trainer_groups(1);
  const Transformer whole_model = embedded_trainer_fresh();
  const auto before = weights_of(whole_model);
  const StepReport whole = make_trainer(options, whole_model)->step(groups).value();
  const auto expected = weights_of(whole_model);
  for (const std::size_t budget : {1, 20, 40, 100}) {
    for (const bool share : {true, false}) {
      for (const bool checkpointing : {false, true}) {
        options.micro_batch_tokens = budget;
        options.share_prefix = share;
        options.activation_checkpointing = checkpointing;
        const Transformer model = embedded_trainer_fresh();
        const StepReport report = make_trainer(options, model)->step(groups).value();
        EXPECT_NEAR(report.loss, whole.loss, 1e-6);
        EXPECT_NEAR(report.gradient_norm, whole.gradient_norm, 1e-5);
        EXPECT_NEAR(report.sums.entropy, whole.sums.entropy, 1e-3);
        EXPECT_EQ(report.sums.tokens, whole.sums.tokens);
        EXPECT_EQ(report.sums.clipped_high, whole.sums.clipped_high);
        expect_near(weights_of(model), expected, 2e-6);
      }
    }
  }
  double moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    moved = std::max<double>(moved, std::abs(before[i] - expected[i]));
  }
  EXPECT_GT(moved, 1e-3) << "the comparison would hold for a trainer that does nothing";
}

INSTANTIATE_TEST_SUITE_P(EmbeddedTrainer, EveryAggregation,
                         testing::Values(Aggregation::kTokenMean, Aggregation::kSequenceMean,
                                         Aggregation::kConstantLength));

// Rollouts with advantage 0 are skipped; a vanishing KL penalty forces them through the network.
TEST(EmbeddedTrainer, SkippingZeroAdvantagesChangesNothing) {
  auto groups = embedded_trainer_groups(2);
  for (ScoredRollout& rollout : groups[0].rollouts) rollout.reward = 1;
  for (ScoredRollout& rollout : groups[3].rollouts) rollout.reward = 0;
  TrainerOptions options = smooth_options();
  const Transformer skipping = embedded_trainer_fresh();
  const StepReport less = make_trainer(options, skipping)->step(groups).value();
  options.objective.entropy_coefficient = 1e-30;
  const Transformer complete = embedded_trainer_fresh();
  const StepReport all = make_trainer(options, complete)->step(groups).value();
  EXPECT_LT(less.trained_tokens, all.trained_tokens);
  expect_near(weights_of(skipping), weights_of(complete), 1e-6);
}

TEST(EmbeddedTrainer, ABatchThatTeachesNothingIsAnUpdateWithoutGradient) {
  auto groups = embedded_trainer_groups(3);
  for (ScoredGroup& group : groups) {
    for (ScoredRollout& rollout : group.rollouts) rollout.reward = 1;
  }
  TrainerOptions options = smooth_options();
  options.optimizer.weight_decay = 0;
  const Transformer model = embedded_trainer_fresh();
  const auto before = weights_of(model);
  const StepReport report = make_trainer(options, model)->step(groups).value();
  EXPECT_EQ(report.gradient_norm, 0);
  EXPECT_EQ(report.trained_tokens, 0U);
  EXPECT_EQ(report.updates, 1);
  EXPECT_EQ(weights_of(model), before);
}

TEST(EmbeddedTrainer, RecomputedLogProbsAreThoseOfAFaithfulSampler) {
  auto groups = embedded_trainer_groups(4);
  set_true_log_probs(groups, embedded_trainer_fresh());
  for (const int passes : {1, 3}) {
    TrainerOptions options = smooth_options();
    options.epochs = passes;
    options.mini_batches = passes;
    const Transformer sampled = embedded_trainer_fresh();
    const StepReport first = make_trainer(options, sampled)->step(groups).value();
    options.old_log_probs = OldLogProbs::kRecomputed;
    options.objective.importance_cap = 2;
    const Transformer recomputed = embedded_trainer_fresh();
    const StepReport second = make_trainer(options, recomputed)->step(groups).value();
    EXPECT_EQ(first.updates, passes * passes);
    expect_near(weights_of(sampled), weights_of(recomputed), 1e-5);
    EXPECT_LT(second.sums.max_mismatch, 1e-4);
    EXPECT_NEAR(second.sums.importance / second.sums.tokens, 1, 1e-4);
    if (passes == 1) {
      EXPECT_LT(first.sums.max_mismatch, 1e-4);
    } else {
      EXPECT_GT(first.sums.old_kl, 1e-6) << "later updates are off the old policy";
    }
  }
}

// Reward-weighted regression is maximum likelihood: with weight 1 the loss is the mean negative
// log-likelihood.
TEST(EmbeddedTrainer, WeightsTrainTheLikelihood) {
  auto groups = embedded_trainer_groups(5, AdvantageRule::kWeight);
  const Transformer model = embedded_trainer_fresh();
  set_true_log_probs(groups, model);
  double sum = 0;
  double tokens = 0;
  for (ScoredGroup& group : groups) {
    for (ScoredRollout& rollout : group.rollouts) {
      rollout.reward = 1;
      for (const float log_prob : rollout.completion.log_probs) sum -= log_prob;
      tokens += static_cast<double>(rollout.completion.tokens.size());
    }
  }
  const auto trainer = make_trainer(smooth_options(), model);
  const double first = trainer->step(groups).value().loss;
  EXPECT_NEAR(first, sum / tokens, 1e-5);
  double last = first;
  for (int i = 0; i < 5; ++i) last = trainer->step(groups).value().loss;
  EXPECT_LT(last, first - 0.1);
}

TEST(EmbeddedTrainer, ReferenceHeldOrReadAgainGivesTheSameTraining) {
  const TestFolder folder;
  TrainerOptions options = smooth_options();
  const Transformer model = embedded_trainer_fresh();
  const auto original = make_trainer(options, model);
  ASSERT_TRUE(original->save(folder.path() / "reference").has_value());

  options.reference = folder.path() / "reference" / "policy";
  options.objective.kl_coefficient = 0.5;
  std::vector<std::vector<float>> ends;
  for (const bool hold : {true, false}) {
    options.hold_reference = hold;
    const Transformer trained = embedded_trainer_fresh();
    const auto trainer = make_trainer(options, trained);
    const auto groups = embedded_trainer_groups(6);
    EXPECT_NEAR(trainer->step(groups).value().sums.reference_kl, 0, 1e-5);
    EXPECT_GT(trainer->step(groups).value().sums.reference_kl, 1e-4);
    ends.push_back(weights_of(trained));
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(EmbeddedTrainer, TheKlCapEndsAStepEarly) {
  auto groups = embedded_trainer_groups(7);
  set_true_log_probs(groups, embedded_trainer_fresh());
  TrainerOptions options = smooth_options();
  options.epochs = 50;
  options.schedule.peak = 5;
  options.kl_cap = 0.02;
  const StepReport report = make_trainer(options, embedded_trainer_fresh())->step(groups).value();
  EXPECT_TRUE(report.stopped_early);
  EXPECT_GE(report.updates, 1);
  EXPECT_LT(report.updates, 50);
}

TEST(EmbeddedTrainer, ANonFiniteLossNamesTheBatchAndKeepsTheParameters) {
  const Transformer model = embedded_trainer_fresh();
  auto groups = embedded_trainer_groups(8);
  groups[2].rollouts[0].completion.log_probs.assign(groups[2].rollouts[0].completion.tokens.size(),
                                                    NAN);
  groups[2].rollouts.resize(1);
  groups[2].rollouts.push_back(groups[2].rollouts[0]);
  groups[2].rollouts[1].reward += 1;
  groups[2].task = "Sorting";
  const auto before = weights_of(model);
  const auto report = make_trainer(smooth_options(), model)->step(groups);
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.error().message.find("step 1"), std::string::npos);
  EXPECT_NE(report.error().message.find("token 0 of rollout 0 of group 2"), std::string::npos)
      << report.error().message;
  EXPECT_NE(report.error().message.find("Sorting"), std::string::npos);
  EXPECT_EQ(weights_of(model), before);
}

TEST(EmbeddedTrainer, LimitsOfLossAndGradientKeepTheParameters) {
  const auto groups = embedded_trainer_groups(13);
  const StepReport sound =
      make_trainer(smooth_options(), embedded_trainer_fresh())->step(groups).value();
  const auto outcome = [&](const std::function<void(TrainerOptions&)>& limit) {
    TrainerOptions options = smooth_options();
    limit(options);
    const Transformer model = embedded_trainer_fresh();
    const auto before = weights_of(model);
    const auto trainer = make_trainer(options, model);
    const auto report = trainer->step(groups);
    EXPECT_EQ(weights_of(model) == before, !report.has_value());
    EXPECT_EQ(trainer->steps(), report ? 1 : 0);
    return report ? "" : report.error().message;
  };
  const double norm = sound.gradient_norm, loss = std::abs(sound.loss);
  ASSERT_GT(norm * loss, 0);
  EXPECT_EQ(outcome([&](auto& o) { o.optimizer.gradient_norm_limit = 1.01 * norm; }), "");
  EXPECT_EQ(outcome([&](auto& o) { o.loss_limit = 1.01 * loss; }), "");
  EXPECT_NE(outcome([&](auto& o) {
              o.optimizer.gradient_norm_limit = 0.99 * norm;
            }).find("step 1, groups 0 to 5"),
            std::string::npos);
  EXPECT_NE(outcome([&](auto& o) { o.loss_limit = 0.99 * loss; }).find("beyond the limit"),
            std::string::npos);
}

TEST(EmbeddedTrainer, APoisonedParameterStopsTheStepAndIsNotSaved) {
  const TestFolder folder;
  const Transformer model = embedded_trainer_fresh();
  const auto trainer = make_trainer({}, model);
  ASSERT_TRUE(trainer->step(embedded_trainer_groups(14)).has_value());
  ASSERT_TRUE(trainer->save(folder.path() / "state").has_value());
  const auto sound = weights_of(model);
  {
    const at::NoGradGuard no_grad;
    model.parameters()[3].tensor.select(0, 0).fill_(NAN);
  }
  const auto report = trainer->step(embedded_trainer_groups(15));
  ASSERT_FALSE(report.has_value());
  const std::string& message = report.error().message;
  EXPECT_TRUE(message.find("not finite") != std::string::npos ||
              message.find("is nan") != std::string::npos)
      << message;
  const Status saved = trainer->save(folder.path() / "state");
  ASSERT_FALSE(saved.has_value());
  EXPECT_NE(saved.error().message.find(model.parameters()[3].name), std::string::npos);
  ASSERT_TRUE(trainer->load(folder.path() / "state").has_value());
  EXPECT_EQ(weights_of(model), sound);
  EXPECT_TRUE(trainer->step(embedded_trainer_groups(15)).has_value())
      << "the batch was not at fault";
}

// Drift by the step's own updates is no disagreement between sampler and trainer.
TEST(EmbeddedTrainer, ComparesSamplerAndTrainerWithTheSameParameters) {
  auto groups = embedded_trainer_groups(16);
  set_true_log_probs(groups, embedded_trainer_fresh());
  for (const OldLogProbs old : {OldLogProbs::kSampler, OldLogProbs::kRecomputed}) {
    TrainerOptions options = smooth_options();
    options.epochs = 3;
    options.old_log_probs = old;
    const StepReport faithful =
        make_trainer(options, embedded_trainer_fresh())->step(groups).value();
    EXPECT_GT(faithful.sums.old_kl, 1e-6);
    EXPECT_GT(faithful.sums.compared, 0);
    EXPECT_LT(faithful.sums.max_mismatch, 1e-4);
    EXPECT_LT(faithful.sums.sampler_kl / faithful.sums.compared, 1e-8);
  }
  constexpr float kShift = 0.1F;
  for (ScoredGroup& group : groups) {
    for (ScoredRollout& rollout : group.rollouts) {
      for (float& log_prob : rollout.completion.log_probs) log_prob -= kShift;
    }
  }
  const auto list = metrics(make_trainer({}, embedded_trainer_fresh())->step(groups).value());
  const std::map<std::string_view, double> values(list.begin(), list.end());
  EXPECT_NEAR(values.at("sampler_mismatch_mean"), kShift, 1e-4);
  EXPECT_NEAR(values.at("sampler_mismatch_max"), kShift, 1e-4);
  EXPECT_NEAR(values.at("sampler_kl"), std::exp(kShift) - 1 - kShift, 1e-4);

  for (ScoredGroup& group : groups) {
    for (ScoredRollout& rollout : group.rollouts) rollout.completion.log_probs.clear();
  }
  TrainerOptions unknown;
  unknown.old_log_probs = OldLogProbs::kRecomputed;
  for (const auto& [name, value] :
       metrics(make_trainer(unknown, embedded_trainer_fresh())->step(groups).value()))
    EXPECT_EQ(name.find("sampler"), std::string_view::npos) << name;
}

class OffloadedTraining : public testing::TestWithParam<at::ScalarType> {};

TEST_P(OffloadedTraining, IsTheSameTrainingAndGoesOnFromEithersState) {
  const TestFolder folder;
  const auto make = [] {
    return Transformer::initialise(tiny_config(kEmbeddedTrainerVocabulary), 5,
                                   {.dtype = GetParam()});
  };
  const Transformer here_model = make(), there_model = make(), later_model = make();
  TrainerOptions options;
  options.schedule.peak = 1e-2;
  const auto here = make_trainer(options, here_model);
  options.optimizer.offload = true;
  const auto there = make_trainer(options, there_model);
  const auto later = make_trainer(options, later_model);
  const auto step = [](EmbeddedTrainer& trainer, std::uint64_t seed) {
    ASSERT_TRUE(trainer.step(embedded_trainer_groups(seed)).has_value());
  };
  for (std::uint64_t seed = 20; seed < 23; ++seed) {
    step(*here, seed);
    step(*there, seed);
  }
  EXPECT_EQ(weights_of(here_model), weights_of(there_model));
  ASSERT_TRUE(here->save(folder.path() / "state").has_value());
  ASSERT_TRUE(later->load(folder.path() / "state").has_value());
  step(*there, 23);
  step(*later, 23);
  EXPECT_EQ(weights_of(there_model), weights_of(later_model));
}

INSTANTIATE_TEST_SUITE_P(EmbeddedTrainer, OffloadedTraining,
                         testing::Values(at::kFloat, at::kBFloat16));

TEST(EmbeddedTrainer, RefusesBatchesThatItCannotTrainOn) {
  const auto refuses = [](const std::function<void(std::vector<ScoredGroup>&)>& spoil,
                          const std::string& reason) {
    auto groups = embedded_trainer_groups(9);
    spoil(groups);
    const auto report = make_trainer(smooth_options(), embedded_trainer_fresh())->step(groups);
    ASSERT_FALSE(report.has_value()) << reason;
    EXPECT_NE(report.error().message.find(reason), std::string::npos) << report.error().message;
  };
  refuses([](auto& g) { g.clear(); }, "no groups");
  refuses([](auto& g) { g[1].prompt.clear(); }, "no tokens");
  refuses([](auto& g) { g[1].prompt[0] = kEmbeddedTrainerVocabulary; }, "vocabulary");
  refuses([](auto& g) { g[1].rollouts[0].completion.tokens[0] = -1; }, "vocabulary");
  refuses([](auto& g) { g[1].rollouts[0].reward = NAN; }, "reward");
  refuses([](auto& g) { g[1].rollouts[0].completion.log_probs.push_back(0); }, "log-prob");
  refuses([](auto& g) { g[1].rollouts[0].completion.log_probs.clear(); }, "recomputed");
  refuses([](auto& g) { g[1].prompt.resize(100); }, "context");
}

TEST(EmbeddedTrainer, RefusesOptionsThatContradictEachOther) {
  const auto refuses = [](const std::function<void(TrainerOptions&)>& spoil) {
    TrainerOptions options;
    spoil(options);
    const auto trainer = EmbeddedTrainer::create(embedded_trainer_fresh(), options);
    ASSERT_FALSE(trainer.has_value());
  };
  refuses([](auto& o) { o.objective.kl_coefficient = 0.1; });
  refuses([](auto& o) { o.objective.importance_cap = 2; });
  refuses([](auto& o) { o.objective.clip_low = 1.5; });
  refuses([](auto& o) { o.objective.dual_clip = 0.5; });
  refuses([](auto& o) { o.temperature = 0; });
  refuses([](auto& o) { o.mini_batches = 0; });
  refuses([](auto& o) { o.reference = "/nowhere/at/all"; });
}

TEST(EmbeddedTrainer, BFloat16TrainsAndSavesItsMasters) {
  const TestFolder folder;
  const Transformer model =
      Transformer::initialise(tiny_config(kEmbeddedTrainerVocabulary), 5, {.dtype = at::kBFloat16});
  TrainerOptions options;
  options.schedule.peak = 1e-4;
  const auto trainer = make_trainer(options, model);
  const auto groups = embedded_trainer_groups(10);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(trainer->step(groups).has_value());
  ASSERT_TRUE(trainer->save(folder.path() / "state").has_value());
  const Transformer other = Transformer::initialise(tiny_config(kEmbeddedTrainerVocabulary), 99,
                                                    {.dtype = at::kBFloat16});
  const auto resumed = make_trainer(options, other);
  ASSERT_TRUE(resumed->load(folder.path() / "state").has_value());
  EXPECT_EQ(resumed->steps(), 3);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(trainer->step(groups).has_value());
    ASSERT_TRUE(resumed->step(groups).has_value());
  }
  EXPECT_EQ(weights_of(model), weights_of(other));
}

TEST(EmbeddedTrainer, LoadingWhatIsDamagedChangesNothing) {
  const TestFolder folder;
  const auto state = folder.path() / "state";
  const Transformer model = embedded_trainer_fresh();
  const auto trainer = make_trainer({}, model);
  EXPECT_FALSE(trainer->load(state).has_value()) << "there is nothing yet";
  ASSERT_TRUE(trainer->step(embedded_trainer_groups(11)).has_value());
  ASSERT_TRUE(trainer->save(state).has_value());
  const auto before = weights_of(model);
  for (const std::string file :
       {"trainer.json", "policy/model.safetensors", "trainer.safetensors"}) {
    const auto size = std::filesystem::file_size(state / file);
    std::filesystem::copy_file(state / file, folder.path() / "whole");
    for (const auto length : {std::uintmax_t{0}, size / 3, size - 5}) {
      std::filesystem::resize_file(state / file, length);
      EXPECT_FALSE(trainer->load(state).has_value()) << file << " of length " << length;
    }
    std::filesystem::rename(folder.path() / "whole", state / file);
  }
  const Transformer wider = Transformer::initialise(tiny_config(kEmbeddedTrainerVocabulary + 1), 5);
  const auto other = make_trainer({}, wider)->load(state);
  ASSERT_FALSE(other.has_value());
  EXPECT_NE(other.error().message.find("another model"), std::string::npos);
  EXPECT_EQ(weights_of(model), before);
  EXPECT_TRUE(trainer->load(state).has_value());
}

// The policy samples with the weights that are trained, and its saved form opens as a policy.
TEST(EmbeddedTrainer, TrainsAndSavesAPolicy) {
  const TestFolder folder;
  const Tokenizer tokenizer = end_and_bytes();
  const Transformer model = Transformer::initialise(tiny_config(257), 9);
  const auto policy = EmbeddedPolicy::make(model, tokenizer, "tiny");
  ASSERT_TRUE(policy.has_value());
  auto trainer = EmbeddedTrainer::create(**policy, {.schedule = {.peak = 1e-2}});
  ASSERT_TRUE(trainer.has_value());

  const std::vector<SampleRequest> requests{{"ab", {{.seed = 1}, {.seed = 2}, {.seed = 3}}}};
  const SampleParameters greedy{.max_new_tokens = 5, .temperature = 0};
  const auto before = (*policy)->sample(requests, greedy).value();
  const auto sampled = (*policy)->sample(requests, {.max_new_tokens = 5}).value();
  ScoredGroup group;
  group.prompt = sampled[0].prompt_tokens;
  for (const Completion& completion : sampled[0].completions) {
    group.rollouts.push_back({completion, static_cast<double>(group.rollouts.size()), false, true});
  }
  for (int i = 0; i < 10; ++i) ASSERT_TRUE((*trainer)->step({&group, 1}).has_value());
  const auto after = (*policy)->sample(requests, greedy).value();
  EXPECT_NE(after[0].completions[0].tokens, before[0].completions[0].tokens);

  const Status saved = (*trainer)->save(folder.path() / "state");
  ASSERT_TRUE(saved.has_value()) << saved.error().message;
  const auto opened = EmbeddedPolicy::load(folder.path() / "state" / "policy");
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_EQ((*opened)->sample(requests, greedy).value()[0].completions[0].tokens,
            after[0].completions[0].tokens);
  ASSERT_TRUE((*trainer)->load(folder.path() / "state").has_value());
}

// One token, four of sixteen pay: nothing but the policy gradient tells which.
TEST(EmbeddedTrainer, LearnsABandit) {
  TrainerOptions options;
  options.schedule.peak = 3e-3;
  const Transformer model = embedded_trainer_fresh();
  const auto trainer = make_trainer(options, model);
  double last = 0;
  for (std::uint64_t step = 0; step < 60; ++step) {
    PrefixSampler sampler(model);
    Rng rng({.seed = 21, .purpose = hash_name("bandit"), .step = step});
    ScoredGroup group;
    group.prompt = {1, 2};
    last = 0;
    for (int k = 0; k < 32; ++k) {
      const Completion drawn = sampler.draw(group.prompt, 1, rng);
      const double reward = drawn.tokens[0] % 4 == 3 ? 1 : 0;
      group.rollouts.push_back({drawn, reward, reward > 0, true});
      last += reward / 32;
    }
    ASSERT_TRUE(trainer->step({&group, 1}).has_value());
  }
  EXPECT_GT(last, 0.9);
}

// Repeat the prompt's two tokens; the reward is the share of right ones.
TEST(EmbeddedTrainer, LearnsToCopyFromScratch) {
  constexpr int kSymbols = 4;
  TrainerOptions options;
  options.schedule.peak = 4e-3;
  options.objective.entropy_coefficient = 0.03;
  const Transformer model = Transformer::initialise(tiny_config(kSymbols), 6);
  const auto trainer = make_trainer(options, model);
  double mean = 0;
  for (std::uint64_t step = 0; step < 200; ++step) {
    PrefixSampler sampler(model);
    Rng rng({.seed = 22, .purpose = hash_name("copy"), .step = step});
    std::vector<ScoredGroup> groups(16);
    double total = 0;
    for (ScoredGroup& group : groups) {
      for (int i = 0; i < 2; ++i) {
        group.prompt.push_back(static_cast<Token>(rng.integer(0, kSymbols - 1)));
      }
      for (int k = 0; k < 8; ++k) {
        const Completion drawn = sampler.draw(group.prompt, 2, rng);
        const int right = (drawn.tokens[0] == group.prompt[0] ? 1 : 0) +
                          (drawn.tokens[1] == group.prompt[1] ? 1 : 0);
        group.rollouts.push_back({drawn, right / 2.0, right == 2, true});
        total += right / 2.0 / 128;
      }
    }
    mean = 0.8 * mean + 0.2 * total;
    ASSERT_TRUE(trainer->step(groups).has_value());
  }
  EXPECT_GT(mean, 0.9) << "chance is 0.25";
}

TEST(EmbeddedTrainer, MetricsHaveNamesAndAreFinite) {
  const auto report =
      make_trainer({}, embedded_trainer_fresh())->step(embedded_trainer_groups(12)).value();
  const auto list = metrics(report);
  std::set<std::string_view> names;
  for (const auto& [name, value] : list) {
    EXPECT_TRUE(std::isfinite(value)) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), list.size());
  EXPECT_TRUE(std::ranges::all_of(metrics(StepReport{}),
                                  [](const auto& entry) { return std::isfinite(entry.second); }));
}

}  // namespace
}  // namespace redqueen
