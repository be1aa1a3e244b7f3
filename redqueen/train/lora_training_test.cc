// Training of adapters: the base stays what it is.
#include <gtest/gtest.h>

#include <cmath>

#include "redqueen/base/testing/folder.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/model/lora.h"
#include "redqueen/train/embedded_trainer.h"
#include "redqueen/train/testing/groups.h"
#include "redqueen/train/testing/policies.h"

namespace redqueen {
namespace {

constexpr int kLoraTrainingVocabulary = 257;

class LoraTraining : public testing::Test {
 protected:
  void SetUp() override {
    const Transformer model = Transformer::initialise(tiny_config(kLoraTrainingVocabulary), 5);
    for (const char* name : {"base", "twin"}) {
      ASSERT_TRUE(save_checkpoint(folder_ / name, model, end_and_bytes()));
    }
  }

  Transformer adapted() const {
    const Transformer model = Transformer::load(folder_ / "base").value();
    LoraConfig config;
    config.rank = 4;
    EXPECT_TRUE(ensure_adapters(model, config, folder_ / "base", 1));
    return model;
  }

  static std::vector<ScoredGroup> groups(std::uint64_t seed) {
    Rng rng({.seed = seed, .purpose = hash_name("lora_training_test")});
    return random_groups(rng, {.vocab_size = kLoraTrainingVocabulary},
                         AdvantageRule::kGroupNormalised);
  }

  static std::vector<float> adapters_of(const Transformer& model) {
    std::vector<float> all;
    for (const NamedTensor& entry : adapter_parameters(model)) {
      const auto values = values_of(entry.tensor);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  static TrainerOptions options() {
    TrainerOptions options;
    options.schedule.peak = 1e-2;
    options.micro_batch_tokens = 40;
    return options;
  }

  TestFolder folder_;
};

TEST_F(LoraTraining, ChangesTheAdaptersAlone) {
  for (const bool checkpointing : {false, true}) {
    const Transformer model = adapted();
    const auto base = weights_of(model), before = adapters_of(model);
    TrainerOptions own = options();
    own.activation_checkpointing = checkpointing;
    const auto trainer = EmbeddedTrainer::create(model, own).value();
    const auto report = trainer->step(groups(1));
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_GT(report->gradient_norm, 0);
    EXPECT_EQ(weights_of(model), base);
    EXPECT_NE(adapters_of(model), before);
  }
}

TEST_F(LoraTraining, GoesOnFromWhatItSaved) {
  const Transformer whole = adapted(), first = adapted(), then = adapted();
  const auto alone = EmbeddedTrainer::create(whole, options()).value();
  const auto here = EmbeddedTrainer::create(first, options()).value();
  for (const std::uint64_t seed : {1, 2}) ASSERT_TRUE(alone->step(groups(seed)).has_value());
  ASSERT_TRUE(here->step(groups(1)).has_value());
  ASSERT_TRUE(here->save(folder_ / "state").has_value());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "state" / "policy" / "model.safetensors"));
  const auto there = EmbeddedTrainer::create(then, options()).value();
  const Status loaded = there->load(folder_ / "state");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  ASSERT_TRUE(there->step(groups(2)).has_value());
  EXPECT_EQ(adapters_of(then), adapters_of(whole));
  // What was saved is a policy as well.
  const auto policy = Transformer::load(folder_ / "state" / "policy");
  ASSERT_TRUE(policy.has_value()) << policy.error().message;
  EXPECT_EQ(adapters_of(*policy), adapters_of(first));
  // A trainer of all weights cannot go on from it.
  const auto other =
      EmbeddedTrainer::create(Transformer::load(folder_ / "base").value(), options());
  EXPECT_FALSE((*other)->load(folder_ / "state").has_value());
}

// The model without its adapters is the same reference as another copy of it.
TEST_F(LoraTraining, TheBaseIsAReferenceThatCostsNothing) {
  std::vector<double> divergences;
  std::vector<std::vector<float>> results;
  for (const char* reference : {"base", "twin"}) {
    TrainerOptions own = options();
    own.objective.kl_coefficient = 0.1;
    own.reference = folder_ / reference;
    const Transformer model = adapted();
    const auto trainer = EmbeddedTrainer::create(model, own).value();
    for (const std::uint64_t seed : {1, 2}) {
      const auto report = trainer->step(groups(seed));
      ASSERT_TRUE(report.has_value()) << report.error().message;
      divergences.push_back(report->sums.reference_kl);
    }
    results.push_back(adapters_of(model));
  }
  EXPECT_NEAR(divergences[0], 0, 1e-4) << "fresh adapters change nothing";
  EXPECT_GT(divergences[1], 1e-4);
  EXPECT_NEAR(divergences[1], divergences[3], 1e-5);
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    ASSERT_NEAR(results[0][i], results[1][i], 1e-5) << i;
  }
}

}  // namespace
}  // namespace redqueen
