#include "redqueen/policy/transformer.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "redqueen/policy/test_support.h"

namespace redqueen {
namespace {

const char* const kOracle = "redqueen/policy/testdata/qwen3_reference.py";

at::Tensor to_tensor(const nlohmann::json& matrix) {
  const auto rows = static_cast<std::int64_t>(matrix.size());
  const auto columns = static_cast<std::int64_t>(matrix.at(0).size());
  at::Tensor result = at::empty({rows, columns}, at::kFloat);
  float* data = result.mutable_data_ptr<float>();
  for (const auto& row : matrix) {
    for (const auto& value : row) *data++ = value.get<float>();
  }
  return result;
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

struct Reference {
  at::Tensor logits;
  std::vector<Token> greedy;
};

Reference run_reference(const std::filesystem::path& folder, const std::vector<Token>& tokens,
                        int count) {
  const auto output = run_python(
      fmt::format("{} run {} {} {}", kOracle, folder.string(), fmt::join(tokens, ","), count));
  const auto json = nlohmann::json::parse(output.value());
  return {to_tensor(json.at("logits")), json.at("greedy").get<std::vector<Token>>()};
}

std::vector<Token> greedy(const Transformer& model, std::vector<Token> tokens, int count) {
  at::NoGradGuard no_grad;
  std::vector<Token> drawn;
  for (int i = 0; i < count; ++i) {
    drawn.push_back(static_cast<Token>(model.logits(tokens)[-1].argmax().item<std::int64_t>()));
    tokens.push_back(drawn.back());
  }
  return drawn;
}

class OpensTransformers : public testing::TestWithParam<const char*> {};

TEST_P(OpensTransformers, LogitsAndGreedyTokensAgree) {
  if (!python_has("transformers")) GTEST_SKIP() << "transformers is not in .venv";
  const ScratchFolder scratch;
  const auto made =
      run_python(fmt::format("{} make {} 5 {}", kOracle, scratch.path().string(), GetParam()));
  ASSERT_TRUE(made.has_value());
  const auto model = Transformer::load(scratch.path());
  ASSERT_TRUE(model.has_value()) << model.error().message;
  Rng rng(RandomAddress{.seed = 1});
  const auto tokens = random_tokens(rng, 60, model->config().vocab_size);
  const Reference reference = run_reference(scratch.path(), tokens, 12);
  at::NoGradGuard no_grad;
  EXPECT_LT(largest_difference(model->logits(tokens), reference.logits), 1e-4);
  EXPECT_EQ(greedy(*model, tokens, 12), reference.greedy);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, OpensTransformers,
    testing::Values(
        "vocab_size=97 hidden_size=48 intermediate_size=80 num_hidden_layers=2 "
        "num_attention_heads=4 num_key_value_heads=2 head_dim=16 tie_word_embeddings=true",
        "vocab_size=64 hidden_size=24 intermediate_size=40 num_hidden_layers=3 "
        "num_attention_heads=3 num_key_value_heads=1 head_dim=10 tie_word_embeddings=false "
        "rope_theta=500000.0 rms_norm_eps=1e-5 'max_shard_size=\"20KB\"'"));

// One gradient per parameter of a weighted sum of log-probabilities and entropies.
struct Gradients {
  TokenScores scores;
  std::vector<at::Tensor> parameters;
};

Gradients differentiate(const Transformer& model, const std::vector<TokenGroup>& groups,
                        const ScoreOptions& options) {
  Gradients result{model.score(groups, options), {}};
  const std::int64_t tokens = result.scores.log_probs.size(0);
  const at::Tensor weights = at::arange(tokens, at::kFloat).mul_(0.7).cos_();
  at::Tensor loss = (result.scores.log_probs * weights).sum();
  if (options.entropy) loss = loss + (result.scores.entropy * weights.square()).sum();
  std::vector<at::Tensor> leaves;
  for (const NamedTensor& parameter : model.parameters()) leaves.push_back(parameter.tensor);
  result.parameters = torch::autograd::grad({loss}, leaves);
  return result;
}

void expect_equal(const Gradients& a, const Gradients& b, double tolerance) {
  EXPECT_LT(largest_difference(a.scores.log_probs, b.scores.log_probs), tolerance);
  if (a.scores.entropy.defined()) {
    EXPECT_LT(largest_difference(a.scores.entropy, b.scores.entropy), tolerance);
  }
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    const double size = a.parameters[i].abs().max().item<double>();
    EXPECT_LT(largest_difference(a.parameters[i], b.parameters[i]), tolerance * (1 + size))
        << "parameter " << i;
  }
}

TEST(Transformer, SharingThePromptChangesNothing) {
  Rng rng(RandomAddress{.seed = 2});
  const Transformer model = Transformer::initialise(small_config(), 3);
  const auto groups = random_groups(rng, 5, 4, model.config().vocab_size);
  ScoreOptions options{.temperature = 0.8, .entropy = true};
  const Gradients shared = differentiate(model, groups, options);
  options.share_prefix = false;
  expect_equal(differentiate(model, groups, options), shared, 2e-5);
}

}  // namespace
}  // namespace redqueen
