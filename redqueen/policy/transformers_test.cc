// The transformer and its checkpoints against the Python package transformers, in both directions.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "redqueen/policy/checkpoint.h"
#include "redqueen/policy/generation.h"
#include "redqueen/policy/test_support.h"

namespace redqueen {
namespace {

using Json = nlohmann::json;

const char* const kText = "Sort: 3 1 2<end> naïve\n";
constexpr int kGreedy = 24;

at::Tensor to_tensor(const Json& matrix) {
  const auto rows = static_cast<std::int64_t>(matrix.size());
  const auto columns = static_cast<std::int64_t>(matrix.at(0).size());
  at::Tensor result = at::empty({rows, columns}, at::kFloat);
  float* data = result.mutable_data_ptr<float>();
  for (const auto& row : matrix) {
    for (const auto& value : row) *data++ = value.get<float>();
  }
  return result;
}

bool has_transformers() {
  return std::system(
             ".venv/bin/python -c 'import importlib.util as u, sys; "
             "sys.exit(u.find_spec(\"transformers\") is None)' 2>/dev/null") == 0;
}

Json theirs(const std::string& folder, int seed, const std::string& shard, Json config) {
  config.update(Json{{"vocab_size", 257}, {"max_position_embeddings", 128}});
  return {{"folder", folder}, {"seed", seed}, {"shard", shard}, {"config", config}};
}

// Two models that transformers made, two that we made; one Python process for all.
class AgainstTransformers : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_transformers()) GTEST_SKIP() << "transformers is not in .venv; run scripts/bootstrap";
    Rng rng(RandomAddress{.seed = 1});
    tokens_ = random_tokens(rng, 60, 257);
    ModelConfig untied = small_config();
    untied.tie_word_embeddings = false;
    untied.num_key_value_heads = 4;
    untied.rope_theta = 1e6;
    ASSERT_TRUE(save("ours", Transformer::initialise(small_config(), 7)));
    ASSERT_TRUE(save("ours-untied", Transformer::initialise(untied, 8)));
    const Json make = {
        theirs(path("theirs"), 5, "5GB",
               {{"hidden_size", 48},
                {"intermediate_size", 80},
                {"num_hidden_layers", 2},
                {"num_attention_heads", 4},
                {"num_key_value_heads", 2},
                {"head_dim", 16},
                {"tie_word_embeddings", true}}),
        theirs(path("theirs-sharded"), 6, "20KB",
               {{"hidden_size", 24},
                {"intermediate_size", 40},
                {"num_hidden_layers", 3},
                {"num_attention_heads", 3},
                {"num_key_value_heads", 1},
                {"head_dim", 10},
                {"tie_word_embeddings", false},
                {"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 500000.0}}},
                {"rms_norm_eps", 1e-5}})};
    Json run = Json::array();
    for (const char* name : {"theirs", "theirs-sharded", "ours", "ours-untied"}) {
      const bool own = std::string_view(name).starts_with("ours");
      run.push_back({{"folder", path(name)},
                     {"tokens", tokens_},
                     {"count", kGreedy},
                     {"text", own ? Json(kText) : Json()}});
    }
    std::ofstream(scratch_ / "request.json") << Json{{"make", make}, {"run", run}};
    const std::string command =
        fmt::format(".venv/bin/python redqueen/policy/testdata/qwen3_reference.py {} {} 2>{}",
                    path("request.json"), path("answer.json"), path("errors.txt"));
    ASSERT_EQ(std::system(command.c_str()), 0) << std::ifstream(scratch_ / "errors.txt").rdbuf();
    answers_ = Json::parse(std::ifstream(scratch_ / "answer.json"));
  }

  std::string path(const std::string& name) const { return (scratch_ / name).string(); }

  bool save(const std::string& name, const Transformer& model) const {
    return save_checkpoint(scratch_ / name, model, byte_tokenizer()).has_value();
  }

  void expect_equal(const std::string& name, const Json& answer) const {
    SCOPED_TRACE(name);
    const auto model = Transformer::load(scratch_ / name);
    ASSERT_TRUE(model.has_value()) << model.error().message;
    at::NoGradGuard no_grad;
    const at::Tensor logits = to_tensor(answer.at("logits"));
    EXPECT_LT((model->logits(tokens_) - logits).abs().max().item<double>(), 1e-4);
    const TokenPrompt prompt{tokens_, {RandomAddress{}}};
    const auto drawn = generate(*model, byte_tokenizer(), std::span(&prompt, 1),
                                {.max_new_tokens = kGreedy, .temperature = 0});
    // Their generation was told not to stop.
    auto expected = answer.at("greedy").get<std::vector<Token>>();
    const auto& ends = model->config().eos_token_ids;
    const auto end = std::find_first_of(expected.begin(), expected.end(), ends.begin(), ends.end());
    if (end != expected.end()) expected.erase(end + 1, expected.end());
    EXPECT_EQ(drawn[0][0].tokens, expected);
  }

  ScratchFolder scratch_;
  std::vector<Token> tokens_;
  Json answers_;
};

TEST_F(AgainstTransformers, LogitsGreedyTokensAndTokenizerAgree) {
  expect_equal("theirs", answers_.at(0));
  expect_equal("theirs-sharded", answers_.at(1));
  expect_equal("ours", answers_.at(2));
  expect_equal("ours-untied", answers_.at(3));
  EXPECT_EQ(answers_.at(2).at("encoded").get<std::vector<Token>>(), byte_tokenizer().encode(kText));
}

}  // namespace
}  // namespace redqueen
