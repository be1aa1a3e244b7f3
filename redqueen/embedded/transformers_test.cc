// Models of every family and their checkpoints against the Python package transformers, in both
// directions.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "redqueen/checkpoint/safetensors.h"
#include "redqueen/decode/generation.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/model/testing/tiny_models.h"

namespace redqueen {
namespace {

const char* const kText = "Sort: 3 1 2<end> naïve\n";
constexpr int kTransformersTokens = 60;
constexpr int kTransformersPrompt = 13;
constexpr int kTransformersGreedy = 24;

// What transformers is to make: config.json of a small model with these differences.
nlohmann::json small_json(nlohmann::json changes) {
  nlohmann::json config = {{"vocab_size", 257},       {"max_position_embeddings", 128},
                           {"hidden_size", 48},       {"intermediate_size", 80},
                           {"num_hidden_layers", 2},  {"num_attention_heads", 4},
                           {"num_key_value_heads", 2}};
  config.update(changes);
  return config;
}

struct Theirs {
  const char* name;
  const char* shard;  // the largest file they may write
  nlohmann::json config;
};

std::vector<Theirs> their_models() {
  const nlohmann::json yarn = {{"rope_type", "yarn"},
                               {"rope_theta", 1e6},
                               {"factor", 4.0},
                               {"original_max_position_embeddings", 32}};
  nlohmann::json deep_yarn = yarn;
  deep_yarn.update(nlohmann::json{{"mscale", 0.7},
                                  {"mscale_all_dim", 1.3},
                                  {"truncate", false},
                                  {"beta_fast", 16.0},
                                  {"beta_slow", 2.0}});
  const nlohmann::json llama3 = {
      {"rope_type", "llama3"},   {"rope_theta", 500000.0},
      {"factor", 8.0},           {"low_freq_factor", 1.0},
      {"high_freq_factor", 4.0}, {"original_max_position_embeddings", 64}};
  return {
      {"qwen2", "5GB",
       small_json({{"model_type", "qwen2"},
                   {"tie_word_embeddings", true},
                   {"sliding_window", 32},
                   {"use_sliding_window", false}})},
      {"qwen2-yarn", "20KB", small_json({{"model_type", "qwen2"}, {"rope_parameters", yarn}})},
      {"qwen3", "5GB",
       small_json({{"model_type", "qwen3"}, {"head_dim", 16}, {"tie_word_embeddings", true}})},
      {"qwen3-sharded", "20KB",
       small_json({{"model_type", "qwen3"},
                   {"hidden_size", 24},
                   {"intermediate_size", 40},
                   {"num_attention_heads", 3},
                   {"num_key_value_heads", 1},
                   {"head_dim", 10},
                   {"rms_norm_eps", 1e-5},
                   {"rope_parameters", deep_yarn}})},
      {"qwen3-linear", "5GB",
       small_json({{"model_type", "qwen3"},
                   {"head_dim", 12},
                   {"rope_parameters",
                    {{"rope_type", "linear"}, {"rope_theta", 777.0}, {"factor", 2.5}}}})},
      {"llama", "5GB", small_json({{"model_type", "llama"}, {"rms_norm_eps", 1e-5}})},
      {"llama3", "20KB",
       small_json({{"model_type", "llama"},
                   {"head_dim", 16},
                   {"tie_word_embeddings", true},
                   {"rope_parameters", llama3}})},
      {"mistral", "5GB",
       small_json({{"model_type", "mistral"}, {"head_dim", 16}, {"sliding_window", nullptr}})},
      {"mistral-window", "5GB", small_json({{"model_type", "mistral"}, {"sliding_window", 11}})},
      {"qwen2-window", "5GB",
       small_json({{"model_type", "qwen2"},
                   {"use_sliding_window", true},
                   {"sliding_window", 20},
                   {"max_window_layers", 1}})},
      {"smollm3", "20KB",
       small_json({{"model_type", "smollm3"},
                   {"num_hidden_layers", 5},
                   {"pad_token_id", nullptr},
                   {"bos_token_id", nullptr},
                   {"eos_token_id", nullptr}})},
      {"smollm3-listed", "5GB",
       small_json({{"model_type", "smollm3"},
                   {"no_rope_layers", {0, 1}},
                   {"tie_word_embeddings", false},
                   {"pad_token_id", nullptr},
                   {"bos_token_id", nullptr},
                   {"eos_token_id", nullptr}})},
      // A window that cuts through prompts and responses.
      {"gemma3", "20KB",
       small_json({{"model_type", "gemma3_text"},
                   {"num_hidden_layers", 4},
                   {"head_dim", 16},
                   {"sliding_window", 7},
                   {"sliding_window_pattern", 3},
                   {"query_pre_attn_scalar", 23}})},
      {"gemma2", "20KB",
       small_json({{"model_type", "gemma2"},
                   {"num_hidden_layers", 3},
                   {"head_dim", 16},
                   {"sliding_window", 9},
                   {"query_pre_attn_scalar", 5},
                   {"attn_logit_softcapping", 0.7},
                   {"final_logit_softcapping", 1.5}})},
      {"gemma3-listed", "5GB",
       small_json(
           {{"model_type", "gemma3_text"},
            {"num_hidden_layers", 3},
            {"num_key_value_heads", 1},
            {"head_dim", 256},
            {"tie_word_embeddings", false},
            {"sliding_window", 20},
            {"layer_types", {"full_attention", "sliding_attention", "sliding_attention"}},
            {"rope_parameters",
             {{"full_attention", {{"rope_type", "linear"}, {"rope_theta", 5e4}, {"factor", 8.0}}},
              {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 300.0}}}}}})},
  };
}

at::Tensor to_tensor(const StoredTensor& stored) {
  at::Tensor result =
      at::empty(stored.shape, stored.dtype == "I64" ? at::ScalarType::Long : at::kFloat);
  std::memcpy(result.mutable_data_ptr(), stored.bytes.data(), stored.bytes.size());
  return result;
}

double transformers_largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

// One Python process for all models.
class AgainstTransformers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!has_transformers()) return;
    scratch_ = new TestFolder();
    Rng rng(RandomAddress{.seed = 1});
    tokens_ = random_tokens(rng, kTransformersTokens, 257);
    nlohmann::json make = nlohmann::json::array(), run = nlohmann::json::array();
    const auto ask = [&](const std::string& name, const nlohmann::json& text) {
      names_.push_back(name);
      run.push_back({{"folder", path(name)},
                     {"tokens", tokens_},
                     {"prompt", kTransformersPrompt},
                     {"count", kTransformersGreedy},
                     {"text", text}});
    };
    int seed = 5;
    for (const Theirs& model : their_models()) {
      make.push_back({{"folder", path(model.name)},
                      {"seed", ++seed},
                      {"shard", model.shard},
                      {"config", model.config}});
      ask(model.name, nullptr);
    }
    for (const ModelConfig& config : family_configs()) {
      const std::string name = fmt::format("ours-{}", name_of(config.family));
      ASSERT_TRUE(save_checkpoint(*scratch_ / name, uneven_model(config, 7), byte_tokenizer()));
      ask(name, kText);
    }
    answered_ = ask_transformers(*scratch_, {{"make", make}, {"run", run}});
  }

  static void TearDownTestSuite() {
    delete scratch_;
    scratch_ = nullptr;
    names_.clear();
  }

  void SetUp() override {
    if (scratch_ == nullptr) {
      GTEST_SKIP() << "transformers is not in .venv; run scripts/bootstrap";
    }
    ASSERT_TRUE(answered_);
  }

  static std::string path(const std::string& name) { return (*scratch_ / name).string(); }

  static Transformer load(const std::string& name, const TransformerOptions& options = {}) {
    return Transformer::load(path(name), options).value();
  }

  static at::Tensor answer(const std::string& name, const std::string& tensor) {
    const auto file = SafetensorsFile::open(*scratch_ / name / "answer.safetensors").value();
    return to_tensor(file.tensors().at(tensor));
  }

  static TestFolder* scratch_;
  static std::vector<std::string> names_;
  static std::vector<Token> tokens_;
  static bool answered_;
};

TestFolder* AgainstTransformers::scratch_ = nullptr;
std::vector<std::string> AgainstTransformers::names_;
std::vector<Token> AgainstTransformers::tokens_;
bool AgainstTransformers::answered_ = false;

TEST_F(AgainstTransformers, LogitsAgree) {
  at::NoGradGuard no_grad;
  for (const std::string& name : names_) {
    EXPECT_LT(transformers_largest_difference(load(name).logits(tokens_), answer(name, "logits")),
              1e-4)
        << name;
  }
}

// Rounding to eight bits of mantissa: both are as far from float32 as from one another.
TEST_F(AgainstTransformers, Bfloat16LogitsAgreeWithinItsReach) {
  at::NoGradGuard no_grad;
  for (const std::string& name : names_) {
    const at::Tensor exact = answer(name, "logits");
    const at::Tensor ours = load(name, {.dtype = at::kBFloat16}).logits(tokens_).to(at::kFloat);
    const double theirs = (answer(name, "logits.bfloat16") - exact).norm().item<double>();
    EXPECT_LT((ours - exact).norm().item<double>(), 1.3 * theirs) << name;
    EXPECT_LT(theirs, 0.1 * exact.norm().item<double>()) << name;
  }
}

TEST_F(AgainstTransformers, GreedyContinuationsAgree) {
  for (const std::string& name : names_) {
    const Transformer model = load(name);
    const TokenPrompt prompt{tokens_, {RandomAddress{}}};
    const auto drawn = generate(model, byte_tokenizer(), std::span(&prompt, 1),
                                {.max_new_tokens = kTransformersGreedy, .temperature = 0});
    // Their generation was told not to stop.
    const at::Tensor greedy = answer(name, "greedy");
    std::vector<Token> expected;
    for (std::int64_t i = 0; i < greedy.numel(); ++i) {
      expected.push_back(static_cast<Token>(greedy[i].item<std::int64_t>()));
    }
    const auto& ends = model.config().eos_token_ids;
    const auto end = std::find_first_of(expected.begin(), expected.end(), ends.begin(), ends.end());
    if (end != expected.end()) expected.erase(end + 1, expected.end());
    EXPECT_EQ(drawn[0][0].tokens, expected) << name;
  }
}

TEST_F(AgainstTransformers, GradientsAgree) {
  const TokenGroup group{{tokens_.begin(), tokens_.begin() + kTransformersPrompt},
                         {{tokens_.begin() + kTransformersPrompt, tokens_.end()}}};
  for (const std::string& name : names_) {
    const Transformer model = load(name);
    const std::vector<NamedTensor> parameters = model.parameters();
    std::vector<at::Tensor> leaves;
    for (const NamedTensor& parameter : parameters) leaves.push_back(parameter.tensor);
    const auto scores = model.score(std::span(&group, 1), {});
    const auto gradients = torch::autograd::grad({-scores.log_probs.mean()}, leaves);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const std::string& parameter = parameters[i].name;
      const at::Tensor expected = answer(name, "grad." + parameter);
      const double size = expected.abs().max().item<double>();
      EXPECT_GT(size, 0) << name << ' ' << parameter;
      EXPECT_LT(transformers_largest_difference(gradients[i], expected), 1e-4 * (1 + size))
          << name << ' ' << parameter;
    }
  }
}

TEST_F(AgainstTransformers, ShardsAreShards) {
  EXPECT_TRUE(std::filesystem::exists(path("llama3/model.safetensors.index.json")));
  EXPECT_FALSE(std::filesystem::exists(path("llama3/model.safetensors")));
}

TEST_F(AgainstTransformers, TheyReadOurTokenizer) {
  const at::Tensor encoded = answer("ours-qwen3", "encoded");
  std::vector<Token> tokens;
  for (std::int64_t i = 0; i < encoded.numel(); ++i) {
    tokens.push_back(static_cast<Token>(encoded[i].item<std::int64_t>()));
  }
  EXPECT_EQ(tokens, byte_tokenizer().encode(kText));
}

// A model that came from transformers, saved by us and opened again, is the same model.
TEST_F(AgainstTransformers, SavingKeepsTheModel) {
  at::NoGradGuard no_grad;
  for (const std::string& name : names_) {
    const Transformer model = load(name);
    ASSERT_TRUE(save_checkpoint(*scratch_ / "again", model, byte_tokenizer()));
    const Transformer again = load("again");
    EXPECT_TRUE(again.logits(tokens_).equal(model.logits(tokens_))) << name;
    EXPECT_EQ(again.config().rope_scaling, model.config().rope_scaling) << name;
    EXPECT_EQ(again.config().window, model.config().window) << name;
    EXPECT_EQ(again.config().unrotated, model.config().unrotated) << name;
  }
}

TEST_F(AgainstTransformers, LayersHaveTheirWindows) {
  const auto window = [](const char* name) { return load(name).config().window; };
  EXPECT_EQ(window("mistral-window"), (SlidingWindow{11, {true, true}}));
  EXPECT_EQ(window("qwen2-window"), (SlidingWindow{20, {false, true}}));
  EXPECT_EQ(window("gemma3"), (SlidingWindow{7, {true, true, false, true}}));
  EXPECT_EQ(window("gemma3-listed"), (SlidingWindow{20, {false, true, true}}));
  EXPECT_EQ(window("mistral"), SlidingWindow{});
}

}  // namespace
}  // namespace redqueen
