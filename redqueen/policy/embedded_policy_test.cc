#include "redqueen/policy/embedded_policy.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "redqueen/policy/checkpoint.h"
#include "redqueen/policy/test_support.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

std::vector<SampleRequest> requests() {
  return {{"Sort: 3 1 2\n", {{.seed = 1, .index = 0}, {.seed = 1, .index = 1}}},
          {"2 + 2 =", {{.seed = 1, .index = 2}}}};
}

class EmbeddedPolicyTest : public testing::Test {
 protected:
  EmbeddedPolicyTest() : model_(Transformer::initialise(small_config(), 3)) {}

  Status save(const std::string& name) const {
    return save_checkpoint(scratch_ / name, model_, byte_tokenizer());
  }

  ScratchFolder scratch_;
  Transformer model_;
};

TEST_F(EmbeddedPolicyTest, ASavedPolicySamplesAsItDidBefore) {
  ASSERT_TRUE(save("policy"));
  const auto original = EmbeddedPolicy::make(model_, byte_tokenizer(), "original");
  const auto loaded = EmbeddedPolicy::load(scratch_ / "policy");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ((*loaded)->name(), "policy");
  const SampleParameters parameters{.max_new_tokens = 30};
  const auto a = (*original)->sample(requests(), parameters);
  const auto b = (*loaded)->sample(requests(), parameters);
  ASSERT_EQ(a->size(), 2u);
  EXPECT_EQ(a->at(0).prompt_tokens, byte_tokenizer().encode("Sort: 3 1 2\n"));
  for (std::size_t g = 0; g < 2; ++g) {
    ASSERT_EQ(a->at(g).completions.size(), requests()[g].rollouts.size());
    for (std::size_t r = 0; r < a->at(g).completions.size(); ++r) {
      EXPECT_EQ(a->at(g).completions[r].tokens, b->at(g).completions[r].tokens);
      EXPECT_EQ(a->at(g).completions[r].log_probs, b->at(g).completions[r].log_probs);
    }
  }
}

TEST_F(EmbeddedPolicyTest, SamplesWithTheParametersOfNow) {
  const auto policy = EmbeddedPolicy::make(model_, byte_tokenizer(), "policy");
  const SampleParameters greedy{.max_new_tokens = 30, .temperature = 0};
  const auto before = (*policy)->sample(requests(), greedy);
  {
    at::NoGradGuard no_grad;
    for (const NamedTensor& parameter : model_.parameters()) {
      parameter.tensor.copy_(parameter.tensor.flip(0));
    }
  }
  const auto after = (*policy)->sample(requests(), greedy);
  EXPECT_NE(before->at(0).completions[0].tokens, after->at(0).completions[0].tokens);
}

TEST_F(EmbeddedPolicyTest, RefusesPromptsThatDoNotFit) {
  const auto policy = EmbeddedPolicy::make(model_, byte_tokenizer(), "policy");
  const auto message = [&](const std::string& prompt) {
    const std::vector<SampleRequest> request = {{prompt, {RandomAddress{}}}};
    const auto sampled = (*policy)->sample(request, {.max_new_tokens = 5});
    return sampled ? "" : sampled.error().message;
  };
  EXPECT_EQ(message(std::string(127, 'x')), "");
  EXPECT_THAT(message(std::string(128, 'x')), HasSubstr("128"));
  EXPECT_TRUE((*policy)->fits(std::string(127, 'x')));
  EXPECT_FALSE((*policy)->fits(std::string(128, 'x')));
  EXPECT_THAT(message(""), HasSubstr("empty"));
  EXPECT_FALSE((*policy)->sample(requests(), {.top_p = 0}).has_value());
}

TEST_F(EmbeddedPolicyTest, SaysWhyItCannotLoad) {
  ASSERT_TRUE(save("policy"));
  const auto message = [&](const EmbeddedPolicyOptions& options) {
    const auto loaded = EmbeddedPolicy::load(scratch_ / "policy", options);
    return loaded ? "" : loaded.error().message;
  };
  EXPECT_EQ(message({.dtype = "bfloat16", .threads = 1}), "");
  EXPECT_THAT(message({.dtype = "int4"}), HasSubstr("int4"));
  EXPECT_THAT(message({.device = "abacus"}), HasSubstr("abacus"));
  EXPECT_THAT(message({.device = "meta"}), HasSubstr("meta"));
  EXPECT_THAT(message({.max_rows = 0}), HasSubstr("max_rows"));
  EXPECT_TRUE(at::hasCUDA() || message({.device = "cuda"}).find("CUDA") != std::string::npos);
  EXPECT_FALSE(EmbeddedPolicy::load(scratch_ / "nowhere").has_value());

  ModelConfig wider = small_config();
  wider.hidden_size = 40;
  ASSERT_TRUE(wider.save(scratch_ / "policy" / "config.json"));
  EXPECT_THAT(message({}),
              HasSubstr("has the shape [257, 32], but config.json asks for [257, 40]"));
  wider = small_config();
  wider.num_hidden_layers = 4;
  ASSERT_TRUE(wider.save(scratch_ / "policy" / "config.json"));
  EXPECT_THAT(message({}), HasSubstr("\"model.layers.3.input_layernorm.weight\" is missing"));
}

TEST_F(EmbeddedPolicyTest, TheTokenizerMustFitTheModel) {
  ModelConfig config = small_config();
  config.vocab_size = 200;
  const auto made =
      EmbeddedPolicy::make(Transformer::initialise(config, 1), byte_tokenizer(), "small");
  EXPECT_THAT(made.error().message, HasSubstr("257"));
}

TEST_F(EmbeddedPolicyTest, SavingReplacesACheckpointAndNothingElse) {
  ASSERT_TRUE(save("policy"));
  const Transformer other = Transformer::initialise(small_config(), 4);
  ASSERT_TRUE(save_checkpoint((scratch_ / "policy").string() + "/", other, byte_tokenizer()));
  const auto loaded = Transformer::load(scratch_ / "policy");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_TRUE(loaded->parameters()[0].tensor.equal(other.parameters()[0].tensor));

  std::filesystem::create_directory(scratch_ / "precious");
  std::ofstream(scratch_ / "precious" / "notes.txt") << "keep me";
  EXPECT_THAT(save("precious").error().message, HasSubstr("no checkpoint"));
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "precious" / "notes.txt"));
  std::ofstream(scratch_ / "file") << "keep me";
  EXPECT_FALSE(save("file").has_value());
  EXPECT_FALSE(save("file/policy").has_value());
  // Nothing is left lying about.
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_ / ".")) {
    names.insert(entry.path().filename().string());
  }
  EXPECT_EQ(names, (std::set<std::string>{"file", "policy", "precious"}));
}

TEST_F(EmbeddedPolicyTest, Bfloat16CheckpointsKeepTheirType) {
  const Transformer narrow = Transformer::initialise(small_config(), 3, {.dtype = at::kBFloat16});
  ASSERT_TRUE(save_checkpoint(scratch_ / "narrow", narrow, byte_tokenizer()));
  const auto loaded = Transformer::load(scratch_ / "narrow", {.dtype = at::kBFloat16});
  for (std::size_t i = 0; i < narrow.parameters().size(); ++i) {
    EXPECT_TRUE(loaded->parameters()[i].tensor.equal(narrow.parameters()[i].tensor));
  }
}

}  // namespace
}  // namespace redqueen
