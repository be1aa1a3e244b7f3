#include "redqueen/policy/model_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "redqueen/policy/test_support.h"

namespace redqueen {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class ModelConfigTest : public testing::Test {
 protected:
  // What loading says of a valid configuration with `changes` made to it (null removes a key); "" if it loads.
  std::string message(const Json& changes) {
    EXPECT_TRUE(small_config().save(file_));
    Json json = Json::parse(std::ifstream(file_));
    for (const auto& [key, value] : changes.items()) {
      if (value.is_null()) {
        json.erase(key);
      } else {
        json[key] = value;
      }
    }
    std::ofstream(file_) << json;
    const auto loaded = ModelConfig::load(file_);
    if (loaded) config_ = *loaded;
    return loaded ? "" : loaded.error().message;
  }

  ScratchFolder scratch_;
  std::filesystem::path file_ = scratch_ / "config.json";
  ModelConfig config_;
};

TEST_F(ModelConfigTest, ReadsWhatItWrote) {
  ModelConfig config = small_config();
  for (const auto& eos : {std::vector<int>{}, {3}, {0, 5}}) {
    config.eos_token_ids = eos;
    config.rope_theta = 12345.5;
    ASSERT_TRUE(config.save(file_));
    const auto loaded = ModelConfig::load(file_);
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    EXPECT_EQ(*loaded, config);
  }
}

TEST_F(ModelConfigTest, TakesTheBaseOfRotaryPositionsFromWhereItStands) {
  EXPECT_EQ(message({{"rope_parameters", nullptr}, {"rope_theta", 777.0}}), "");
  EXPECT_EQ(config_.rope_theta, 777.0);
  EXPECT_EQ(message({{"rope_theta", nullptr}, {"rope_parameters", {{"rope_theta", 888.0}}}}), "");
  EXPECT_EQ(config_.rope_theta, 888.0);
}

TEST_F(ModelConfigTest, RefusesWhatItCannotCompute) {
  EXPECT_THAT(message({{"model_type", "llama"}}), HasSubstr("llama"));
  EXPECT_THAT(message({{"model_type", nullptr}}), HasSubstr("model_type"));
  EXPECT_THAT(message({{"hidden_act", "gelu"}}), HasSubstr("gelu"));
  EXPECT_THAT(message({{"attention_bias", true}}), HasSubstr("attention_bias"));
  EXPECT_THAT(message({{"use_sliding_window", true}}), HasSubstr("sliding"));
  EXPECT_THAT(message({{"layer_types", {"full_attention", "sliding_attention"}}}),
              HasSubstr("layer_types"));
  EXPECT_THAT(message({{"quantization_config", Json::object()}}), HasSubstr("quantised"));
  EXPECT_THAT(message({{"rope_scaling", {{"type", "linear"}, {"factor", 2}}}}),
              HasSubstr("linear"));
  EXPECT_THAT(message({{"rope_parameters", {{"rope_type", "yarn"}}}}), HasSubstr("yarn"));
}

TEST_F(ModelConfigTest, RefusesShapesThatCannotBe) {
  EXPECT_THAT(message({{"vocab_size", nullptr}}), HasSubstr("\"vocab_size\" is missing"));
  EXPECT_THAT(message({{"vocab_size", "many"}}), HasSubstr("vocab_size"));
  EXPECT_THAT(message({{"hidden_size", 32.5}}), HasSubstr("hidden_size"));
  EXPECT_THAT(message({{"hidden_size", 1e300}}), HasSubstr("hidden_size"));
  EXPECT_THAT(message({{"hidden_size", 18446744073709551615u}}), HasSubstr("hidden_size"));
  EXPECT_THAT(message({{"num_hidden_layers", 0}}), HasSubstr("num_hidden_layers"));
  EXPECT_THAT(message({{"num_attention_heads", 3}}), HasSubstr("multiple"));
  EXPECT_THAT(message({{"head_dim", 15}}), HasSubstr("even"));
  EXPECT_THAT(message({{"rms_norm_eps", "small"}}), HasSubstr("rms_norm_eps"));
  EXPECT_THAT(message({{"tie_word_embeddings", 1}}), HasSubstr("tie_word_embeddings"));
  EXPECT_THAT(message({{"eos_token_id", 257}}), HasSubstr("eos_token_id"));
  EXPECT_THAT(message({{"eos_token_id", "end"}}), HasSubstr("eos_token_id"));
  EXPECT_THAT(message({{"rope_parameters", 3}}), HasSubstr("rope_parameters"));
}

TEST_F(ModelConfigTest, EveryMessageNamesTheFile) {
  EXPECT_THAT(message({{"head_dim", 15}}), HasSubstr(file_.string()));
  EXPECT_THAT(message({{"model_type", "llama"}}), HasSubstr(file_.string()));
  std::ofstream(file_) << "{";
  EXPECT_THAT(ModelConfig::load(file_).error().message, HasSubstr(file_.string()));
  std::filesystem::remove(file_);
  EXPECT_THAT(ModelConfig::load(file_).error().message, HasSubstr(file_.string()));
}

TEST_F(ModelConfigTest, RandomDamageNeverCrashes) {
  ASSERT_TRUE(small_config().save(file_));
  std::ifstream stream(file_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  Rng rng(RandomAddress{.seed = 41});
  for (int trial = 0; trial < 300; ++trial) {
    std::string damaged = text.substr(0, rng.below(text.size()) + 1);
    for (int i = 0; i < 3; ++i)
      damaged[rng.below(damaged.size())] = static_cast<char>(rng.below(256));
    std::ofstream(file_, std::ios::binary) << damaged;
    const auto loaded = ModelConfig::load(file_);
    EXPECT_TRUE(!loaded || loaded->check().has_value());
  }
}

}  // namespace
}  // namespace redqueen
