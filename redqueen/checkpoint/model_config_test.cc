#include "redqueen/checkpoint/model_config.h"

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

class ModelConfigTest : public testing::Test {
 protected:
  // What loading says of a valid configuration with `changes` made to it (null removes a key); ""
  // if it loads.
  std::string message(const nlohmann::json& changes) {
    EXPECT_TRUE(small_config().save(file_));
    nlohmann::json json = nlohmann::json::parse(std::ifstream(file_));
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

  TestFolder scratch_;
  std::filesystem::path file_ = scratch_ / "config.json";
  ModelConfig config_;
};

TEST_F(ModelConfigTest, ReadsWhatItWrote) {
  for (ModelConfig config : family_configs()) {
    for (const auto& eos : {std::vector<int>{}, {3}, {0, 5}}) {
      config.eos_token_ids = eos;
      config.rope_theta = 12345.5;
      ASSERT_TRUE(config.save(file_));
      const auto loaded = ModelConfig::load(file_);
      ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
      EXPECT_EQ(*loaded, config);
    }
  }
}

TEST_F(ModelConfigTest, TakesTheBaseOfRotaryPositionsFromWhereItStands) {
  EXPECT_EQ(message({{"rope_parameters", nullptr}, {"rope_theta", 777.0}}), "");
  EXPECT_EQ(config_.rope_theta, 777.0);
  EXPECT_EQ(message({{"rope_theta", nullptr}, {"rope_parameters", {{"rope_theta", 888.0}}}}), "");
  EXPECT_EQ(config_.rope_theta, 888.0);
}

TEST_F(ModelConfigTest, ReadsEveryScalingUnderBothNames) {
  const nlohmann::json scalings = {
      {{"rope_type", "linear"}, {"factor", 2}},
      {{"type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 32}},
      {{"rope_type", "llama3"},
       {"factor", 8.0},
       {"low_freq_factor", 1.0},
       {"high_freq_factor", 4.0},
       {"original_max_position_embeddings", 64}}};
  const RopeKind kinds[] = {RopeKind::kLinear, RopeKind::kYarn, RopeKind::kLlama3};
  for (std::size_t i = 0; i < scalings.size(); ++i) {
    for (const char* key : {"rope_parameters", "rope_scaling"}) {
      nlohmann::json changes = {{"rope_parameters", nullptr}, {"rope_scaling", nullptr}};
      changes[key] = scalings[i];
      ASSERT_EQ(message(changes), "");
      EXPECT_EQ(config_.rope_scaling.kind, kinds[i]);
      EXPECT_EQ(config_.rope_scaling.factor, scalings[i]["factor"]);
    }
  }
}

TEST_F(ModelConfigTest, DerivesWhatAFamilyLeavesOut) {
  const nlohmann::json bare = {{"head_dim", nullptr}, {"max_position_embeddings", nullptr}};
  EXPECT_EQ(message(bare), "");
  EXPECT_EQ(config_.head_dim, 128);
  for (const char* type : {"qwen2", "llama"}) {
    nlohmann::json changes = bare;
    changes["model_type"] = type;
    EXPECT_EQ(message(changes), "");
    EXPECT_EQ(config_.head_dim, 8);
    EXPECT_EQ(name_of(config_.family), type);
  }
  EXPECT_EQ(config_.max_position_embeddings, 2048);
  nlohmann::json changes = bare;
  for (const char* key : {"num_key_value_heads", "rope_theta", "rope_parameters",
                          "tie_word_embeddings", "use_sliding_window"}) {
    changes[key] = nullptr;
  }
  changes.update({{"model_type", "smollm3"}, {"num_hidden_layers", 9}});
  EXPECT_EQ(message(changes), "");
  EXPECT_EQ(config_.num_key_value_heads, 4);
  EXPECT_EQ(config_.rope_theta, 2e6);
  EXPECT_TRUE(config_.tie_word_embeddings);
  EXPECT_EQ(config_.max_position_embeddings, 32768);
  EXPECT_EQ(config_.unrotated,
            (std::vector<bool>{false, false, false, true, false, false, false, true, false}));
  changes.update({{"model_type", "mistral"}, {"num_attention_heads", 8}});
  EXPECT_EQ(message(changes), "");
  EXPECT_EQ(config_.num_key_value_heads, 8);
  EXPECT_EQ(config_.rope_theta, 10000);
  EXPECT_FALSE(config_.tie_word_embeddings);
  EXPECT_EQ(config_.head_dim, 4);
  EXPECT_EQ(config_.window.tokens, 4096);
  EXPECT_EQ(config_.max_position_embeddings, 131072);
}

TEST_F(ModelConfigTest, DerivesWhatGemmaLeavesOut) {
  nlohmann::json changes = {{"model_type", "gemma3_text"}, {"num_hidden_layers", 7}};
  for (const char* key : {"head_dim", "max_position_embeddings", "num_key_value_heads",
                          "rope_theta", "rope_parameters", "tie_word_embeddings", "hidden_act"}) {
    changes[key] = nullptr;
  }
  EXPECT_EQ(message(changes), "");
  EXPECT_EQ(config_.head_dim, 256);
  EXPECT_EQ(config_.num_key_value_heads, 4);
  EXPECT_EQ(config_.max_position_embeddings, 131072);
  EXPECT_TRUE(config_.tie_word_embeddings);
  EXPECT_EQ(config_.rope_theta, 1e6);
  EXPECT_EQ(config_.rope_local_theta, 1e4);
  EXPECT_EQ(config_.attention_scale(), 1.0 / 16);
  EXPECT_EQ(config_.window, (SlidingWindow{4096, {true, true, true, true, true, false, true}}));
  EXPECT_EQ(config_.window_of(4), 4096);
  EXPECT_EQ(config_.window_of(5), 0);
  // As releases before transformers 5 say it.
  changes.update({{"rope_theta", 5e5},
                  {"rope_local_base_freq", 777.0},
                  {"rope_scaling", {{"factor", 8.0}, {"rope_type", "linear"}}},
                  {"sliding_window", 512},
                  {"sliding_window_pattern", 3},
                  {"query_pre_attn_scalar", 4}});
  EXPECT_EQ(message(changes), "");
  EXPECT_EQ(config_.rope_theta, 5e5);
  EXPECT_EQ(config_.rope_local_theta, 777);
  EXPECT_EQ(config_.rope_scaling.kind, RopeKind::kLinear);
  EXPECT_EQ(config_.rope_scaling.factor, 8);
  EXPECT_EQ(config_.attention_scale(), 0.5);
  EXPECT_EQ(config_.window, (SlidingWindow{512, {true, true, false, true, true, false, true}}));
  // And as those since.
  changes.update(
      {{"rope_scaling", nullptr},
       {"rope_parameters",
        {{"full_attention", {{"rope_type", "linear"}, {"factor", 2.0}, {"rope_theta", 888.0}}},
         {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 99.0}}}}}});
  EXPECT_EQ(message(changes), "");
  EXPECT_EQ(config_.rope_theta, 888);
  EXPECT_EQ(config_.rope_local_theta, 99);
  EXPECT_EQ(config_.rope_scaling.factor, 2);
}

TEST_F(ModelConfigTest, DerivesWhatGemma2LeavesOut) {
  nlohmann::json changes = {{"model_type", "gemma2"}, {"rope_parameters", nullptr}};
  for (const char* key : {"head_dim", "max_position_embeddings", "num_key_value_heads",
                          "rope_theta", "tie_word_embeddings", "hidden_act"}) {
    changes[key] = nullptr;
  }
  EXPECT_EQ(message(changes), "");
  EXPECT_EQ(config_.head_dim, 256);
  EXPECT_EQ(config_.max_position_embeddings, 8192);
  EXPECT_EQ(config_.rope_theta, 1e4);
  EXPECT_EQ(config_.rope_local_theta, 0);
  EXPECT_EQ(config_.attn_logit_softcapping, 50);
  EXPECT_EQ(config_.final_logit_softcapping, 30);
  EXPECT_EQ(config_.window, (SlidingWindow{4096, {true, false, true}}));
  const AttentionRule rule = config_.attention_rule(0);
  EXPECT_EQ(rule.scale, config_.attention_scale());
  EXPECT_EQ(rule.window, 4096);
  EXPECT_EQ(rule.cap, 50);
  EXPECT_TRUE(rule.changes_scores());
  EXPECT_EQ(config_.attention_rule(1).window, 0);
  ModelConfig uncapped = family_configs().back();
  uncapped.attn_logit_softcapping = uncapped.final_logit_softcapping = 0;
  EXPECT_FALSE(uncapped.attention_rule(0).changes_scores());
  ASSERT_TRUE(uncapped.save(file_));
  EXPECT_EQ(ModelConfig::load(file_).value(), uncapped);
}

// Of all layers alike, so that nothing is read from a default when it is opened again.
TEST_F(ModelConfigTest, GemmaWithoutWindowsStaysSo) {
  ModelConfig config = family_configs()[5];
  config.window = {};
  ASSERT_TRUE(config.save(file_));
  EXPECT_EQ(ModelConfig::load(file_).value(), config);
}

TEST_F(ModelConfigTest, LayersWithoutPositionsComeFromTheListOrTheInterval) {
  const auto smollm3 = [&](nlohmann::json changes) {
    changes["model_type"] = "smollm3";
    return message(changes);
  };
  EXPECT_EQ(smollm3({{"no_rope_layers", {0, 1, 0, 0, 1}}}), "");
  EXPECT_EQ(config_.unrotated, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(smollm3({{"no_rope_layer_interval", 2}}), "");
  EXPECT_EQ(config_.unrotated, (std::vector<bool>{false, true, false}));
  EXPECT_TRUE(config_.rotates(0));
  EXPECT_FALSE(config_.rotates(1));
  EXPECT_THAT(smollm3({{"no_rope_layers", {1, 1}}}), HasSubstr("no_rope_layers"));
  EXPECT_THAT(smollm3({{"no_rope_layers", {1, 2, 1}}}), HasSubstr("holds 2"));
  EXPECT_THAT(smollm3({{"no_rope_layer_interval", 0}}), HasSubstr("no_rope_layer_interval"));
}

TEST_F(ModelConfigTest, AWindowOutOfUseDoesNoHarm) {
  EXPECT_EQ(message({{"model_type", "qwen2"},
                     {"use_sliding_window", false},
                     {"sliding_window", 131072},
                     {"max_window_layers", 1}}),
            "");
  EXPECT_EQ(message({{"model_type", "qwen2"},
                     {"use_sliding_window", true},
                     {"sliding_window", 64},
                     {"max_window_layers", 3}}),
            "");
  EXPECT_EQ(config_.window, SlidingWindow{});
  EXPECT_EQ(config_.max_position_embeddings, 128);
  // Null in the file, not absent, which would mean 4096.
  ModelConfig mistral = small_config();
  mistral.family = ModelFamily::kMistral;
  ASSERT_TRUE(mistral.save(file_));
  EXPECT_TRUE(nlohmann::json::parse(std::ifstream(file_))["sliding_window"].is_null());
  EXPECT_EQ(ModelConfig::load(file_).value(), mistral);
}

TEST_F(ModelConfigTest, ReadsWhichLayersHaveAWindow) {
  const auto expect = [&](const nlohmann::json& changes, const SlidingWindow& window) {
    ASSERT_EQ(message(changes), "");
    EXPECT_EQ(config_.max_position_embeddings, 128);
    EXPECT_EQ(config_.window, window);
    const ModelConfig first = config_;
    ASSERT_TRUE(first.save(file_));
    EXPECT_EQ(ModelConfig::load(file_).value(), first);
  };
  expect({{"model_type", "mistral"}, {"sliding_window", 64}}, {64, {true, true, true}});
  // transformers' Llama has no windows.
  expect({{"model_type", "llama"}, {"sliding_window", 64}}, {});
  const nlohmann::json window = {{"use_sliding_window", true}, {"sliding_window", 64}};
  for (const char* type : {"qwen2", "qwen3"}) {
    nlohmann::json changes = window;
    changes.update({{"model_type", type}, {"max_window_layers", 2}});
    expect(changes, {64, {false, false, true}});
    changes["layer_types"] = {"full_attention", "sliding_attention", "full_attention"};
    expect(changes, {64, {false, true, false}});
  }
  nlohmann::json smollm3 = window;
  smollm3.update({{"model_type", "smollm3"}, {"no_rope_layers", {1, 0, 1}}});
  expect(smollm3, {64, {false, true, false}});
}

TEST_F(ModelConfigTest, EndTokensOfGenerationCount) {
  ASSERT_TRUE(small_config().save(file_));
  const auto generation = scratch_ / "generation_config.json";
  const auto load = [&] { return ModelConfig::load_folder(file_.parent_path()); };
  EXPECT_EQ(load()->eos_token_ids, std::vector<int>{0});
  std::ofstream(generation) << R"({"eos_token_id": [3, 4], "temperature": 0.6, "top_k": 20})";
  EXPECT_EQ(load()->eos_token_ids, (std::vector<int>{3, 4}));
  EXPECT_EQ(load()->generation.temperature, 0.6);
  EXPECT_EQ(load()->generation.top_k, 20);
  EXPECT_EQ(load()->generation.top_p, std::nullopt);
  std::ofstream(generation) << R"({"eos_token_id": 9999})";
  EXPECT_THAT(load().error().message, HasSubstr("generation_config.json"));
  std::ofstream(generation) << R"({"top_k": "all"})";
  EXPECT_THAT(load().error().message, HasSubstr("top_k"));
}

TEST_F(ModelConfigTest, RefusesWhatItCannotCompute) {
  EXPECT_THAT(message({{"model_type", "gemma3"}}), HasSubstr("reads images as well: supported"));
  EXPECT_THAT(message({{"model_type", "gemma2"}, {"attn_logit_softcapping", -1}}),
              HasSubstr("attn_logit_softcapping"));
  const auto gemma = [&](nlohmann::json changes) {
    changes.update({{"model_type", "gemma3_text"}, {"rope_parameters", nullptr}});
    return message(changes);
  };
  EXPECT_THAT(gemma({{"use_bidirectional_attention", true}}), HasSubstr("what follows"));
  EXPECT_THAT(gemma({{"attn_logit_softcapping", 50.0}}), HasSubstr("caps"));
  EXPECT_THAT(gemma({{"final_logit_softcapping", 30.0}}), HasSubstr("caps"));
  EXPECT_THAT(gemma({{"hidden_activation", "gelu"}}), HasSubstr("hidden_activation"));
  EXPECT_THAT(gemma({{"sliding_window_pattern", 0}}), HasSubstr("sliding_window_pattern"));
  EXPECT_THAT(gemma({{"sliding_window", nullptr}, {"layer_types", {"full_attention"}}}),
              HasSubstr("each of 3 layers"));
  const auto by_type = [&](const nlohmann::json& full, const nlohmann::json& sliding) {
    return message(
        {{"model_type", "gemma3_text"},
         {"rope_parameters", {{"full_attention", full}, {"sliding_attention", sliding}}}});
  };
  const nlohmann::json plain = {{"rope_type", "default"}};
  const nlohmann::json linear = {{"rope_type", "linear"}, {"factor", 2}};
  EXPECT_EQ(by_type(linear, plain), "");
  EXPECT_THAT(by_type(plain, linear), HasSubstr("\"sliding_attention\" must have"));
  EXPECT_THAT(by_type({{"rope_type", "longrope"}}, plain), HasSubstr("longrope"));
  EXPECT_THAT(message({{"model_type", "gemma3_text"}, {"rope_parameters", plain}}),
              HasSubstr("\"full_attention\" is missing"));
  EXPECT_THAT(message({{"model_type", "qwen3_moe"}}), HasSubstr("mixture of experts"));
  EXPECT_THAT(message({{"model_type", nullptr}}), HasSubstr("model_type"));
  EXPECT_THAT(message({{"hidden_act", "gelu"}}), HasSubstr("gelu"));
  EXPECT_THAT(message({{"attention_bias", true}}), HasSubstr("attention_bias"));
  EXPECT_THAT(message({{"model_type", "llama"}, {"mlp_bias", true}}), HasSubstr("mlp_bias"));
  EXPECT_THAT(message({{"num_experts", 8}}), HasSubstr("experts"));
  EXPECT_THAT(message({{"sliding_window", 0}, {"use_sliding_window", true}}),
              HasSubstr("\"sliding_window\" must be positive"));
  const nlohmann::json sliding = {"full_attention", "sliding_attention", "full_attention"};
  EXPECT_THAT(message({{"layer_types", sliding}}), HasSubstr("no \"sliding_window\""));
  EXPECT_THAT(message({{"layer_types", {"full_attention"}}}), HasSubstr("each of 3 layers"));
  EXPECT_THAT(message({{"layer_types", {"full_attention", "chunked", "full_attention"}}}),
              HasSubstr("chunked"));
  EXPECT_THAT(message({{"quantization_config", nlohmann::json::object()}}), HasSubstr("quantised"));
  const auto scaling = [&](const nlohmann::json& object) {
    return message({{"rope_parameters", object}});
  };
  EXPECT_THAT(scaling({{"rope_type", "dynamic"}, {"factor", 2}}), HasSubstr("dynamic"));
  EXPECT_THAT(scaling({{"rope_type", "longrope"}}), HasSubstr("longrope"));
  EXPECT_THAT(scaling({{"rope_type", "linear"}}), HasSubstr("factor"));
  EXPECT_THAT(scaling({{"rope_type", "linear"}, {"factor", -1}}), HasSubstr("factor"));
  EXPECT_THAT(scaling({{"rope_type", "llama3"}, {"factor", 2}}), HasSubstr("low_freq_factor"));
  EXPECT_THAT(scaling({{"rope_type", "yarn"}, {"factor", 2}, {"beta_fast", 0.5}}),
              HasSubstr("beta_fast"));
  EXPECT_THAT(scaling({{"partial_rotary_factor", 0.5}}), HasSubstr("partial_rotary_factor"));
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
  EXPECT_THAT(message({{"model_type", "mamba"}}), HasSubstr(file_.string()));
  std::ofstream(file_) << "{";
  EXPECT_THAT(ModelConfig::load(file_).error().message, HasSubstr(file_.string()));
  std::filesystem::remove(file_);
  EXPECT_THAT(ModelConfig::load(file_).error().message, HasSubstr(file_.string()));
}

TEST_F(ModelConfigTest, RandomDamageNeverCrashes) {
  ASSERT_TRUE(family_configs()[1].save(file_));
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
