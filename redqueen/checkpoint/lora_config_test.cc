#include "redqueen/checkpoint/lora_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/checkpoint/testing/small_configs.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

class LoraConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(scratch_ / "base");
    ASSERT_TRUE(small_config().save(scratch_ / "base" / "config.json"));
    config_.rank = 4;
    config_.base = (scratch_ / "base").string();
  }

  // What loading says of a valid file with `changes`; "" if it loads.
  std::string message(const nlohmann::json& changes) {
    EXPECT_TRUE(config_.save(file_));
    nlohmann::json json = nlohmann::json::parse(std::ifstream(file_));
    json.update(changes);
    std::ofstream(file_) << json;
    const auto loaded = LoraConfig::load(file_);
    return loaded ? "" : loaded.error().message;
  }

  TestFolder scratch_;
  std::filesystem::path file_ = scratch_ / "adapter_config.json";
  LoraConfig config_;
};

TEST_F(LoraConfigTest, ReadsWhatItWrote) {
  for (const bool rslora : {false, true}) {
    config_.rslora = rslora;
    config_.targets = {"q_proj", "v_proj"};
    ASSERT_TRUE(config_.save(file_));
    const auto loaded = LoraConfig::load(file_);
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    EXPECT_EQ(*loaded, config_);
    EXPECT_DOUBLE_EQ(loaded->scale(), rslora ? 16 : 8);
  }
}

TEST_F(LoraConfigTest, TakesTargetsInAnyOrder) {
  EXPECT_EQ(message({{"target_modules", {"down_proj", "q_proj"}}, {"lora_dropout", 0.1}}), "");
  EXPECT_EQ(LoraConfig::load(file_)->targets, (std::vector<std::string>{"q_proj", "down_proj"}));
}

TEST_F(LoraConfigTest, RefusesWhatWouldChangeTheNumbers) {
  EXPECT_THAT(message({{"peft_type", "IA3"}}), HasSubstr("\"peft_type\""));
  EXPECT_THAT(message({{"use_dora", true}}), HasSubstr("DoRA"));
  EXPECT_THAT(message({{"bias", "all"}}), HasSubstr("bias"));
  EXPECT_THAT(message({{"modules_to_save", {"lm_head"}}}), HasSubstr("\"modules_to_save\""));
  EXPECT_THAT(message({{"rank_pattern", {{"q_proj", 2}}}}), HasSubstr("\"rank_pattern\""));
  EXPECT_THAT(message({{"target_modules", "all-linear"}}), HasSubstr("list of names"));
  EXPECT_THAT(message({{"target_modules", {"embed_tokens"}}}), HasSubstr("\"embed_tokens\""));
  EXPECT_THAT(message({{"target_modules", {"q_proj", "q_proj"}}}), HasSubstr("twice"));
  EXPECT_THAT(message({{"r", 0}}), HasSubstr("above 0"));
  EXPECT_THAT(message({{"lora_alpha", 0}}), HasSubstr("alpha"));
}

TEST_F(LoraConfigTest, CountsTheNumbersOfItsAdapters) {
  const ModelConfig model = small_config();  // 64 wide heads, 32 of keys and values each
  config_.targets = {"q_proj", "k_proj", "down_proj"};
  EXPECT_EQ(config_.parameter_count(model), 3 * 4 * ((64 + 32) + (32 + 32) + (32 + 48)));
}

TEST_F(LoraConfigTest, FindsItsBase) {
  ASSERT_TRUE(config_.save(file_));
  EXPECT_TRUE(is_adapter_folder(scratch_.path()));
  EXPECT_EQ(base_folder(scratch_.path()).value(), scratch_ / "base");
  EXPECT_EQ(ModelConfig::load_folder(scratch_.path()).value(), small_config());
  config_.base = "base";  // beside the adapters
  ASSERT_TRUE(config_.save(file_));
  EXPECT_EQ(base_folder(scratch_.path()).value(), scratch_ / "base");
  for (const std::string name : {"Qwen/Qwen9-1T", "", "."}) {
    config_.base = name;
    ASSERT_TRUE(config_.save(file_));
    const auto missing = base_folder(scratch_.path());
    ASSERT_FALSE(missing.has_value());
    EXPECT_THAT(missing.error().message, HasSubstr("base_model_name_or_path"));
  }
}

TEST_F(LoraConfigTest, SurvivesDamage) {
  ASSERT_TRUE(config_.save(file_));
  std::ifstream in(file_);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  Rng rng({.seed = 3});
  int loaded = 0;
  for (int i = 0; i < 500; ++i) {
    std::string text = whole;
    for (auto k = rng.integer(1, 4); k > 0; --k) {
      text[rng.integer(0, static_cast<std::int64_t>(text.size()) - 1)] =
          static_cast<char>(rng.integer(0, 255));
    }
    text.resize(rng.integer(0, 3) == 0 ? rng.integer(0, 300) % text.size() : text.size());
    std::ofstream(file_, std::ios::binary) << text;
    const auto config = LoraConfig::load(file_);
    if (config) {
      EXPECT_TRUE(config->check().has_value());
    }
    loaded += config ? 1 : 0;
  }
  EXPECT_GT(loaded, 0) << "some damage lies in a name";
}

}  // namespace
}  // namespace redqueen
