#include "redqueen/model/transformer.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "redqueen/model/layer_ops.h"
#include "redqueen/model/rotary.h"
#include "redqueen/model/testing/tiny_models.h"
#include "redqueen/model/token_log_probs.h"

namespace redqueen {
namespace {

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

std::vector<at::Tensor> leaves(const Transformer& model) {
  std::vector<at::Tensor> result;
  for (const NamedTensor& parameter : model.parameters()) result.push_back(parameter.tensor);
  return result;
}

// Scores and one gradient per parameter of a weighted sum of log-probabilities and entropies.
struct Differentiated {
  TokenScores scores;
  std::vector<at::Tensor> gradients;
};

at::Tensor weighted_sum(const TokenScores& scores) {
  const at::Tensor weights = at::arange(scores.log_probs.size(0), at::kFloat).mul_(0.7).cos_();
  at::Tensor loss = (scores.log_probs * weights).sum();
  if (scores.entropy.defined()) loss = loss + (scores.entropy * weights.square()).sum();
  return loss;
}

Differentiated differentiate(const Transformer& model, const std::vector<TokenGroup>& groups,
                             const ScoreOptions& options) {
  Differentiated result{model.score(groups, options), {}};
  result.gradients = torch::autograd::grad({weighted_sum(result.scores)}, leaves(model));
  return result;
}

void expect_equal(const Differentiated& a, const Differentiated& b, double tolerance) {
  EXPECT_LT(largest_difference(a.scores.log_probs, b.scores.log_probs), tolerance);
  ASSERT_EQ(a.scores.entropy.defined(), b.scores.entropy.defined());
  if (a.scores.entropy.defined()) {
    EXPECT_LT(largest_difference(a.scores.entropy, b.scores.entropy), tolerance);
  }
  ASSERT_EQ(a.gradients.size(), b.gradients.size());
  for (std::size_t i = 0; i < a.gradients.size(); ++i) {
    const double size = a.gradients[i].abs().max().item<double>();
    EXPECT_GT(size, 0) << "parameter " << i;
    EXPECT_LT(largest_difference(a.gradients[i], b.gradients[i]), tolerance * (1 + size))
        << "parameter " << i;
  }
}

// The same quantities from logits() and libtorch's own operations.
TokenScores score_directly(const Transformer& model, const std::vector<TokenGroup>& groups,
                           double temperature) {
  std::vector<at::Tensor> log_probs, entropies;
  for (const TokenGroup& group : groups) {
    for (const auto& response : group.responses) {
      if (response.empty()) continue;
      std::vector<Token> tokens = group.prompt;
      tokens.insert(tokens.end(), response.begin(), response.end());
      const auto from = static_cast<std::int64_t>(group.prompt.size()) - 1;
      const auto count = static_cast<std::int64_t>(response.size());
      const at::Tensor logs =
          at::log_softmax(model.logits(tokens).narrow(0, from, count) / temperature, -1);
      for (std::int64_t i = 0; i < count; ++i) {
        log_probs.push_back(logs[i][response[i]]);
      }
      entropies.push_back(-(logs.exp() * logs).sum(-1));
    }
  }
  return {at::stack(log_probs), at::cat(entropies)};
}

class ScoreTest : public testing::TestWithParam<int> {
 protected:
  ScoreTest() : model_(uneven_model(family_configs()[GetParam()], 3)) {
    Rng rng(RandomAddress{.seed = 2});
    groups_ = random_groups(rng, 5, 4, model_.config().vocab_size);
    groups_.push_back({random_tokens(rng, 7, 257), {{}, {}}});        // nothing to score
    groups_.push_back({random_tokens(rng, 1, 257), {{5}, {9}, {}}});  // no response rows
  }
  Transformer model_;
  std::vector<TokenGroup> groups_;
};

TEST_P(ScoreTest, EqualsSoftmaxOfLogits) {
  const ScoreOptions options{.share_prefix = false, .temperature = 0.8, .entropy = true};
  Differentiated direct{score_directly(model_, groups_, 0.8), {}};
  direct.gradients = torch::autograd::grad({weighted_sum(direct.scores)}, leaves(model_));
  expect_equal(differentiate(model_, groups_, options), direct, 5e-5);
}

TEST_P(ScoreTest, SharingThePromptChangesNothing) {
  ScoreOptions options{.temperature = 0.8, .entropy = true};
  const Differentiated shared = differentiate(model_, groups_, options);
  options.share_prefix = false;
  expect_equal(shared, differentiate(model_, groups_, options), 5e-5);
}

TEST_P(ScoreTest, CheckpointingActivationsChangesNothing) {
  const Differentiated plain = differentiate(model_, groups_, {});
  expect_equal(differentiate(model_, groups_, {.activation_checkpointing = true}), plain, 1e-6);
}

TEST_P(ScoreTest, BackwardAccumulatesIntoTheParameters) {
  const Differentiated once = differentiate(model_, groups_, {});
  for (const bool checkpointing : {false, true}) {
    weighted_sum(model_.score(groups_, {.activation_checkpointing = checkpointing})).backward();
  }
  const auto parameters = leaves(model_);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double size = once.gradients[i].abs().max().item<double>();
    EXPECT_LT(largest_difference(parameters[i].grad(), 2 * once.gradients[i]), 1e-4 * (1 + size));
  }
}

TEST_P(ScoreTest, GivenTokensAreReadAndNotScored) {
  const std::vector<TokenGroup> plain = groups_;
  std::vector<std::int64_t> scored;  // numbers of the tokens that are left
  std::int64_t number = 0;
  for (TokenGroup& group : groups_) {
    for (const auto& response : group.responses) {
      std::vector<TokenRun>& runs = group.given.emplace_back();
      const std::size_t third = response.size() / 3;
      if (third > 0 && number % 2 == 0) runs = {{0, third}, {2 * third, response.size()}};
      if (third > 0 && number % 2 == 1) runs = {{third, third + 1}, {third + 1, 2 * third}};
      if (!runs.empty() && runs.back().begin == runs.back().end) runs.pop_back();
      for (std::size_t t = 0; t < response.size(); ++t, ++number) {
        const auto holds = [t](const TokenRun& run) { return run.begin <= t && t < run.end; };
        if (std::ranges::none_of(runs, holds)) scored.push_back(number);
      }
    }
  }
  ASSERT_LT(scored.size(), static_cast<std::size_t>(number));
  for (const bool share_prefix : {true, false}) {
    const ScoreOptions options{.share_prefix = share_prefix, .entropy = true};
    const at::Tensor kept = at::tensor(scored);
    const TokenScores all = model_.score(plain, options), some = model_.score(groups_, options);
    EXPECT_LT(largest_difference(some.log_probs, all.log_probs.index_select(0, kept)), 1e-5);
    EXPECT_LT(largest_difference(some.entropy, all.entropy.index_select(0, kept)), 1e-5);
  }
}

TEST_P(ScoreTest, NothingToScoreGivesNoScores) {
  const std::vector<TokenGroup> empty = {{{1, 2}, {{}}}};
  EXPECT_EQ(model_.score(empty, {}).log_probs.size(0), 0);
  EXPECT_EQ(model_.score({}, {.entropy = true}).entropy.size(0), 0);
}

INSTANTIATE_TEST_SUITE_P(Families, ScoreTest, testing::Range(0, 7), [](const auto& index) {
  const auto i = static_cast<std::size_t>(index.param);
  return std::string(name_of(family_configs()[i].family));
});

TEST(TokenLogProbs, EqualWhetherLogitsAreKeptOrMadeAgain) {
  const auto waves = [](std::int64_t rows, double step) {
    return at::arange(rows * 8, at::kFloat)
        .mul_(step)
        .sin_()
        .view({rows, 8})
        .set_requires_grad(true);
  };
  const at::Tensor hidden = waves(50, 0.31), output = waves(33, 0.77);
  const at::Tensor targets = at::arange(50, at::kLong).mul_(7).remainder_(33);
  const LogitMemory whole{.tile = 1 << 20, .kept = 1 << 20},
      rows{.tile = 4 * 33, .kept = 20 * 33, .least_rows = 1}, none{.tile = 1, .kept = 0},
      tiles{.tile = 70, .kept = 1 << 20, .least_rows = 7}, some{.tile = 70, .kept = 900};
  for (const double cap : {0.0, 0.4}) {
    const at::Tensor z = hidden.mm(output.t());
    const at::Tensor logs = at::log_softmax((cap > 0 ? cap * (z / cap).tanh() : z) / 0.7, -1);
    const TokenScores direct{logs.gather(1, targets.unsqueeze(1)).squeeze(1),
                             -(logs.exp() * logs).sum(-1)};
    const auto expected = torch::autograd::grad({weighted_sum(direct)}, {hidden, output});
    for (const LogitMemory& memory : {whole, rows, none, tiles, some}) {
      SCOPED_TRACE(memory.tile);
      const TokenScores scores = token_log_probs(hidden, output, targets, 0.7, true, memory, cap);
      EXPECT_LT(largest_difference(scores.log_probs, direct.log_probs), 1e-5);
      EXPECT_LT(largest_difference(scores.entropy, direct.entropy), 1e-5);
      const auto gradients = torch::autograd::grad({weighted_sum(scores)}, {hidden, output});
      EXPECT_LT(largest_difference(gradients[0], expected[0]), 1e-5);
      EXPECT_LT(largest_difference(gradients[1], expected[1]), 1e-5);
    }
  }
}

// Logits far apart, in tiles: the target may be certain, or as good as impossible.
TEST(TokenLogProbs, HoldsForLogitsFarApart) {
  const at::Tensor hidden = at::full({3, 1}, 1.0F).set_requires_grad(true);
  const at::Tensor output = at::linspace(-2000, 2000, 41, at::kFloat).unsqueeze(1);
  const at::Tensor targets = at::arange(3, at::kLong) * 20;  // logits −2000, 0 and 2000
  const TokenScores scores =
      token_log_probs(hidden, output, targets, 1.0, true, LogitMemory{.tile = 12, .kept = 0});
  EXPECT_TRUE(scores.log_probs.equal(at::arange(-4000, 1, 2000).to(at::kFloat)));
  EXPECT_LT(scores.entropy.abs().max().item<float>(), 1e-3);
  const at::Tensor gradient = torch::autograd::grad({scores.log_probs.sum()}, {hidden})[0];
  EXPECT_TRUE(at::allclose(gradient.squeeze(1), at::arange(-4000, 1, 2000).to(at::kFloat)));
}

TEST(LogitTile, CutsTheVocabularyOnlyWhereRowsWouldBeFew) {
  for (const bool on_gpu : {false, true}) {
    const LogitMemory memory = logit_memory(on_gpu);
    for (const std::int64_t vocabulary : {33, 1200, 32000, 151936}) {
      for (const std::int64_t tokens : {1, 300, 20000}) {
        const LogitTile tile = logit_tile(memory, tokens, vocabulary);
        EXPECT_LE(tile.rows, tokens);
        EXPECT_LE(tile.rows * tile.columns, memory.tile);
        EXPECT_TRUE(tile.columns == vocabulary || tile.rows == std::min(memory.least_rows, tokens));
      }
    }
  }
}

TEST(Transformer, Bfloat16IsCloseToFloat32) {
  for (const ModelConfig& config : family_configs()) {
    SCOPED_TRACE(name_of(config.family));
    const Transformer wide = uneven_model(config, 3);
    const Transformer narrow = uneven_model(config, 3, {.dtype = at::kBFloat16});
    Rng rng(RandomAddress{.seed = 2});
    const auto groups = random_groups(rng, 3, 4, 257);
    const Differentiated a = differentiate(wide, groups, {}), b = differentiate(narrow, groups, {});
    EXPECT_EQ(b.scores.log_probs.scalar_type(), at::kFloat);
    EXPECT_LT(largest_difference(a.scores.log_probs.mean(), b.scores.log_probs.mean()), 0.05);
    for (std::size_t i = 0; i < a.gradients.size(); ++i) {
      EXPECT_EQ(b.gradients[i].scalar_type(), at::kBFloat16);
      const at::Tensor x = a.gradients[i].flatten(), y = b.gradients[i].flatten().to(at::kFloat);
      EXPECT_GT((x.dot(y) / (x.norm() * y.norm())).item<double>(), 0.95) << "parameter " << i;
    }
  }
}

TEST(Transformer, ABackwardPassOutlivesItsModel) {
  Rng rng({.seed = 5});
  const auto groups = random_groups(rng, 2, 2, small_config().vocab_size);
  const Transformer model = uneven_model(small_config(), 3);
  for (const bool checkpointing : {true, false}) {
    const ScoreOptions options{.activation_checkpointing = checkpointing, .entropy = true};
    Differentiated alone;
    std::vector<at::Tensor> parameters;
    {
      const Transformer gone = model.clone();
      parameters = leaves(gone);
      alone.scores = gone.score(groups, options);
    }
    alone.gradients = torch::autograd::grad({weighted_sum(alone.scores)}, parameters);
    expect_equal(alone, differentiate(model, groups, options), 1e-12);
  }
}

TEST(Transformer, InitialisationFollowsTheSeed) {
  const auto a = leaves(Transformer::initialise(small_config(), 3));
  const auto b = leaves(Transformer::initialise(small_config(), 3));
  const auto c = leaves(Transformer::initialise(small_config(), 4));
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(a[i].equal(b[i]));
    EXPECT_EQ(a[i].equal(c[i]), a[i].dim() == 1);  // norms begin as ones
  }
  EXPECT_NEAR(a[0].std().item<double>(), small_config().initializer_range, 0.01);
}

TEST(Transformer, WritingToParametersChangesTheModelAndNotItsClone) {
  for (const ModelConfig& config : family_configs()) {
    const Transformer model = Transformer::initialise(config, 3);
    const Transformer copy = model.clone();
    const std::vector<Token> tokens = {1, 2, 3};
    at::NoGradGuard no_grad;
    const at::Tensor before = model.logits(tokens);
    for (const NamedTensor& parameter : model.parameters()) {
      const at::Tensor kept = parameter.tensor.clone();
      parameter.tensor.add_(0.05 * at::arange(kept.numel()).view_as(kept).sin());
      EXPECT_GT(largest_difference(model.logits(tokens), before), 1e-5) << parameter.name;
      parameter.tensor.copy_(kept);
    }
    for (const NamedTensor& parameter : model.parameters()) parameter.tensor.mul_(1.1);
    EXPECT_TRUE(copy.logits(tokens).equal(before));
  }
}

TEST(Transformer, ParameterCountIsThatOfTheConfig) {
  for (ModelConfig config : family_configs()) {
    for (const bool tied : {true, false}) {
      config.tie_word_embeddings = tied;
      std::int64_t count = 0;
      for (const at::Tensor& leaf : leaves(Transformer::initialise(config, 1))) {
        count += leaf.numel();
      }
      EXPECT_EQ(count, config.parameter_count());
    }
  }
}

// The hand-written derivatives against libtorch's own: float32 takes the fused way, float64 the
// composed one.
class LayerOpsTest : public testing::TestWithParam<at::ScalarType> {
 protected:
  // [rows, heads, size] numbers on a wave, as a strided part of a wider tensor.
  at::Tensor wave(std::int64_t rows, std::int64_t heads, std::int64_t size, double step) const {
    const at::Tensor all = at::arange(rows * (heads + 1) * size, at::kDouble).mul_(step).sin_();
    return all.mul_(3).view({rows, heads + 1, size}).narrow(1, 1, heads).to(GetParam());
  }

  static void check(const at::Tensor& ours, const at::Tensor& theirs, const at::Tensor& grad,
                    const std::vector<at::Tensor>& inputs) {
    EXPECT_LT(largest_difference(ours, theirs), 1e-5 * (1 + theirs.abs().max().item<double>()));
    const auto a = torch::autograd::grad({ours}, inputs, {grad});
    const auto b = torch::autograd::grad({theirs}, inputs, {grad});
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_LT(largest_difference(a[i], b[i]), 1e-5 * (1 + b[i].abs().max().item<double>()));
    }
  }
};

TEST_P(LayerOpsTest, NormGradients) {
  for (const std::int64_t size : {1, 6, 16, 50}) {
    const at::Tensor x = wave(700, 2, size, 0.37).detach().set_requires_grad(true);
    const at::Tensor weight =
        at::arange(1, size + 1, at::kFloat).mul_(0.2).to(GetParam()).set_requires_grad(true);
    const auto normal = [&] { return x * (x.square().mean(-1, true) + 1e-3).rsqrt(); };
    const at::Tensor grad = wave(700, 2, size, 0.9);
    check(rms_norm(x, weight, {.eps = 1e-3}), normal() * weight, grad, {x, weight});
    check(rms_norm(x, weight, {.eps = 1e-3, .plus_one = true}), normal() * (1 + weight), grad,
          {x, weight});
  }
}

TEST_P(LayerOpsTest, GateGradients) {
  const at::Tensor x = (40 * wave(9, 2, 40, 0.37)).detach().set_requires_grad(true);
  const at::Tensor gate = x.narrow(-1, 0, 20), up = x.narrow(-1, 20, 20);
  const at::Tensor grad = wave(9, 2, 20, 0.9);
  check(gated(x, Activation::kSilu), at::silu(gate) * up, grad, {x});
  check(gated(x, Activation::kGelu), at::gelu(gate, "tanh") * up, grad, {x});
  // Where the activation bends.
  const at::Tensor small = wave(9, 2, 40, 0.37).detach().set_requires_grad(true);
  check(gated(small, Activation::kGelu),
        at::gelu(small.narrow(-1, 0, 20), "tanh") * small.narrow(-1, 20, 20), grad, {small});
}

TEST_P(LayerOpsTest, RotationGradients) {
  const at::Tensor x = wave(6, 3, 8, 0.37).detach().set_requires_grad(true);
  ModelConfig config;
  config.head_dim = 8;
  config.rope_theta = 100;
  const Rotary r = rotary_table(at::tensor({0, 3, 1, 7, 2, 90}, at::kLong), config, GetParam());
  const at::Tensor left = x.narrow(-1, 0, 4), right = x.narrow(-1, 4, 4);
  check(rotate(x, r), at::cat({left * r.cos - right * r.sin, right * r.cos + left * r.sin}, -1),
        wave(6, 3, 8, 0.9), {x});
}

INSTANTIATE_TEST_SUITE_P(Types, LayerOpsTest, testing::Values(at::kFloat, at::kDouble));

}  // namespace
}  // namespace redqueen
