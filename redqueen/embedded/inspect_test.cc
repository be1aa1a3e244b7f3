#include "redqueen/embedded/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/embedded/checkpoint.h"
#include "redqueen/model/testing/tiny_models.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

TEST(Inspect, TellsWhatAFolderHolds) {
  const TestFolder scratch;
  for (const ModelConfig& config : family_configs()) {
    const auto folder = scratch / std::string(name_of(config.family));
    const Transformer model = Transformer::initialise(config, 1, {.dtype = at::kBFloat16});
    ASSERT_TRUE(save_checkpoint(folder, model, byte_tokenizer()));
    const auto told = inspect_policy(folder);
    ASSERT_TRUE(told) << told.error().message;
    EXPECT_EQ((*told)["family"], name_of(config.family));
    EXPECT_EQ((*told)["parameters"]["count"], config.parameter_count());
    EXPECT_EQ((*told)["parameters"]["types"]["BF16"]["bytes"], 2 * config.parameter_count());
    EXPECT_EQ((*told)["memory"]["float32"]["weights"], 4 * config.parameter_count());
    EXPECT_EQ((*told)["tokenizer"]["pattern"], "qwen");
    EXPECT_EQ((*told)["tokenizer"]["special"]["<end>"], 0);
    EXPECT_EQ((*told)["chat_template"]["usable"], false);
    const std::string text = inspection_text(*told);
    EXPECT_THAT(text, HasSubstr(std::string(name_of(config.family))));
    EXPECT_THAT(text, HasSubstr(std::string(name_of(config.rope_scaling.kind))));
  }
}

TEST(Inspect, ShowsTheTemplate) {
  const TestFolder scratch;
  ASSERT_TRUE(
      save_checkpoint(scratch / "x", Transformer::initialise(small_config(), 1), byte_tokenizer()));
  const auto file = scratch / "x/chat_template.jinja";
  const auto chat = [&](const std::string& source) {
    std::ofstream(file) << source;
    return inspect_policy(scratch / "x").value();
  };
  EXPECT_EQ(chat("{# one #}\nU:{{ messages[0].content }}\n\nA:")["chat_template"]["example"],
            "U:…\n\nA:");
  EXPECT_THAT(inspection_text(chat("{# one #}\nU:{{ messages[0].content }}\n\nA:")),
              HasSubstr("U:…⏎⏎A:"));
  EXPECT_THAT(inspection_text(chat("a\n{% frob %}")), HasSubstr("line 2"));
}

TEST(Inspect, RefusesWhatTheEngineCannotUse) {
  const TestFolder scratch;
  EXPECT_THAT(inspect_policy(scratch / "none").error().message, HasSubstr("config.json"));
  const auto folder = scratch / "x";
  ASSERT_TRUE(
      save_checkpoint(folder, Transformer::initialise(small_config(), 1), byte_tokenizer()));
  ModelConfig other = small_config();
  other.num_hidden_layers = 2;
  ASSERT_TRUE(other.save(folder / "config.json"));
  EXPECT_THAT(inspect_policy(folder).error().message, HasSubstr("do not belong together"));
  std::ofstream(folder / "config.json") << R"({"model_type": "deepseek_v3"})";
  EXPECT_THAT(inspect_policy(folder).error().message, HasSubstr("supported are"));
}

}  // namespace
}  // namespace redqueen
