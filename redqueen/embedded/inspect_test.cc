#include "redqueen/embedded/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/checkpoint/safetensors.h"
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
    const bool mistral = config.family == ModelFamily::kMistral;
    EXPECT_EQ((*told)["window"].is_null(), config.window.tokens == 0);
    EXPECT_EQ(text.find("20 tokens in 3 of 3 layers") != std::string::npos, mistral);
    EXPECT_EQ(text.find("9 tokens in 2 of 3 layers") != std::string::npos,
              config.family == ModelFamily::kGemma3);
    const bool smollm3 = config.family == ModelFamily::kSmolLM3;
    EXPECT_EQ((*told)["unrotated_layers"], smollm3 ? 1 : 0);
    EXPECT_EQ(text.find("1 of 3 layers have none") != std::string::npos, smollm3);
  }
}

TEST(Inspect, CountsTheBytesWithoutAToken) {
  const TestFolder folder;
  ASSERT_TRUE(
      save_checkpoint(folder.path(), Transformer::initialise(small_config(), 1), byte_tokenizer()));
  auto tokenizer = Json::parse(std::ifstream(folder / "tokenizer.json"));
  for (const char* byte : {"x", "y", "z"}) tokenizer["model"]["vocab"].erase(byte);
  std::ofstream(folder / "tokenizer.json") << tokenizer;
  EXPECT_THAT(inspection_text(inspect_policy(folder.path()).value()),
              HasSubstr("3 of 256 bytes have no token and are left out of a text"));
  tokenizer["model"]["unk_token"] = "a";
  std::ofstream(folder / "tokenizer.json") << tokenizer;
  EXPECT_THAT(inspection_text(inspect_policy(folder.path()).value()),
              HasSubstr("3 of 256 bytes have no token and become the unknown token "));
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
  ASSERT_TRUE(small_config().save(folder / "config.json"));
  // Weights whose numbers are as many as they should be.
  using Stored = std::pair<std::string, StoredTensor>;
  const auto message = [&](const auto& change) {
    const auto file = SafetensorsFile::open(folder / "model.safetensors").value();
    std::vector<Stored> tensors(file.tensors().begin(), file.tensors().end());
    for (Stored& tensor : tensors) change(tensor.first, tensor.second);
    const auto other = scratch / "changed";
    std::filesystem::copy(folder, other);
    EXPECT_TRUE(write_safetensors(other / "model.safetensors", tensors));
    const std::string loading = Transformer::load(other).error().message;
    const std::string inspecting = inspect_policy(other).error().message;
    std::filesystem::remove_all(other);
    const std::string cause = inspecting.substr(0, inspecting.find(';'));
    EXPECT_THAT(loading, HasSubstr(cause)) << "both have the same to say";
    return cause;
  };
  EXPECT_THAT(message([](std::string& name, const StoredTensor&) {
                if (name == "model.norm.weight") name = "model.norm.scale";
              }),
              HasSubstr("\"model.norm.weight\" is missing"));
  EXPECT_THAT(message([](const std::string& name, StoredTensor& tensor) {
                if (name.ends_with("1.mlp.up_proj.weight"))
                  std::swap(tensor.shape[0], tensor.shape[1]);
              }),
              HasSubstr("\"model.layers.1.mlp.up_proj.weight\" has the shape"));
  EXPECT_THAT(message([](const std::string& name, StoredTensor& tensor) {
                if (name == "model.embed_tokens.weight") tensor.dtype = "I32";
              }),
              HasSubstr("has the type I32"));
  // A million layers are not allocated before the second is missed.
  ModelConfig deep = small_config();
  deep.num_hidden_layers = 1'000'000;
  ASSERT_TRUE(deep.save(folder / "config.json"));
  EXPECT_THAT(Transformer::load(folder).error().message, HasSubstr("is missing"));
  std::ofstream(folder / "config.json") << R"({"model_type": "deepseek_v3"})";
  EXPECT_THAT(inspect_policy(folder).error().message, HasSubstr("supported are"));
}

}  // namespace
}  // namespace redqueen
