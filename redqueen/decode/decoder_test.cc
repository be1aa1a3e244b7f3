#include "redqueen/decode/decoder.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "redqueen/model/testing/tiny_models.h"

namespace redqueen {
namespace {

struct DecoderShape {
  int heads, kv_heads, head_dim;
  bool fused;
  std::size_t family = 0;  // of family_configs()
};

class DecoderTest : public testing::TestWithParam<DecoderShape> {};

// Every step, with rows leaving and prompts joining in between, against a forward pass over the
// whole sequence.
TEST_P(DecoderTest, PredictsWhatAWholePassPredicts) {
  ModelConfig config = family_configs()[GetParam().family];
  config.num_attention_heads = GetParam().heads;
  config.num_key_value_heads = GetParam().kv_heads;
  config.head_dim = GetParam().head_dim;
  const Transformer model = uneven_model(config, 3);
  Rng rng(RandomAddress{.seed = 21});
  constexpr int kSteps = 70, kLongest = 110;  // more than a page each
  Decoder decoder(model, kLongest + kSteps, GetParam().fused);
  at::NoGradGuard no_grad;
  std::vector<std::vector<Token>> sequences;
  std::int64_t prompts = 0;
  const auto check = [&](const at::Tensor& predicted, const std::vector<Token>& sequence) {
    const at::Tensor expected = model.logits(sequence)[-1];
    ASSERT_LT((predicted - expected).abs().max().item<double>(), 3e-4)
        << sequence.size() << " tokens";
  };
  const auto join = [&](int count) {
    std::vector<std::vector<Token>> fresh;
    for (int p = 0; p < count; ++p) {
      fresh.push_back(random_tokens(rng, p == 0 ? kPageTokens : rng.integer(1, kLongest), 257));
    }
    std::vector<PromptTokens> given;
    for (const std::vector<Token>& tokens : fresh) given.push_back({tokens});
    const at::Tensor predicted = decoder.add_prompts(given);
    for (int p = 0; p < count; ++p) {
      check(predicted[p], fresh[p]);
      decoder.add_rows(prompts, 1 + p);
      decoder.close_prompt(prompts++);
      sequences.insert(sequences.end(), static_cast<std::size_t>(1 + p), fresh[p]);
    }
  };
  join(3);
  for (int step = 0; step < kSteps; ++step) {
    if (step == 20 || step == 33) join(2);
    if (step % 9 == 5 && sequences.size() > 1) {
      std::vector<std::int64_t> staying;
      std::vector<std::vector<Token>> left;
      const std::size_t leaver = rng.below(sequences.size());
      for (std::size_t row = 0; row < sequences.size(); ++row) {
        if (row == leaver) continue;
        staying.push_back(static_cast<std::int64_t>(row));
        left.push_back(sequences[row]);
      }
      decoder.keep(staying);
      sequences = std::move(left);
    }
    const std::vector<Token> tokens =
        random_tokens(rng, static_cast<std::int64_t>(sequences.size()), 257);
    for (std::size_t row = 0; row < tokens.size(); ++row) sequences[row].push_back(tokens[row]);
    const at::Tensor predicted = decoder.step(tokens);
    for (std::size_t row = 0; row < sequences.size(); ++row) {
      check(predicted[static_cast<std::int64_t>(row)], sequences[row]);
    }
  }
  decoder.keep({});
  EXPECT_EQ(decoder.cache().pages_in_use(), 0);
}

// Rows of several lengths, cut before, at and after the ends of pages, continued beside a prompt
// that is computed whole; then a few steps.
TEST_P(DecoderTest, ContinuesARowThatWasKept) {
  ModelConfig config = family_configs()[GetParam().family];
  config.num_attention_heads = GetParam().heads;
  config.num_key_value_heads = GetParam().kv_heads;
  config.head_dim = GetParam().head_dim;
  const Transformer model = uneven_model(config, 3);
  Rng rng(RandomAddress{.seed = 22});
  at::NoGradGuard no_grad;
  const auto check = [&](const at::Tensor& predicted, const std::vector<Token>& sequence) {
    const at::Tensor expected = model.logits(sequence)[-1];
    ASSERT_LT((predicted - expected).abs().max().item<double>(), 3e-4)
        << sequence.size() << " tokens";
  };
  constexpr std::int64_t kPrompt = 70, kSteps = 66;
  Decoder first(model, 400, GetParam().fused);
  std::vector<Token> sequence = random_tokens(rng, kPrompt, 257);
  const PromptTokens prompt{sequence};
  (void)first.add_prompts({&prompt, 1});
  first.add_rows(0, 1);
  first.close_prompt(0);
  for (std::int64_t i = 0; i < kSteps; ++i) {
    sequence.push_back(random_tokens(rng, 1, 257)[0]);
    (void)first.step(std::span(sequence).last(1));
  }

  std::vector<KeptRow> kept;
  std::vector<std::vector<Token>> whole;
  for (const std::int64_t length : {1L, 63L, 64L, 70L, 71L, 134L, 136L}) {
    KeptRow row{.tokens = {sequence.begin(), sequence.begin() + length}, .layers = {}};
    row.layers = first.copy_row(0, length);
    whole.push_back(row.tokens);
    const std::vector<Token> more = random_tokens(rng, length % 2 == 0 ? 1 : 40, 257);
    whole.back().insert(whole.back().end(), more.begin(), more.end());
    kept.push_back(std::move(row));
  }
  whole.push_back(random_tokens(rng, 20, 257));
  first.keep({});
  EXPECT_EQ(first.cache().pages_in_use(), 0);

  Decoder second(model, 400, GetParam().fused);
  std::vector<PromptTokens> prompts;
  prompts.push_back({whole.back()});
  for (std::size_t i = 0; i < kept.size(); ++i) prompts.push_back({whole[i], &kept[i]});
  std::ranges::rotate(whole, whole.end() - 1);
  const at::Tensor predicted = second.add_prompts(prompts);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    check(predicted[number], whole[i]);
    second.add_rows(number, 1);
    second.close_prompt(number);
  }
  for (int step = 0; step < 3; ++step) {
    const auto drawn = random_tokens(rng, static_cast<std::int64_t>(whole.size()), 257);
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i].push_back(drawn[i]);
    const at::Tensor logits = second.step(drawn);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      check(logits[static_cast<std::int64_t>(i)], whole[i]);
    }
  }
}

// In parts shorter and longer than a page and than a block of masked queries, from the beginning
// and from a kept row; then a step.
TEST_P(DecoderTest, ComputesALongPromptInParts) {
  ModelConfig config = family_configs()[GetParam().family];
  config.num_attention_heads = GetParam().heads;
  config.num_key_value_heads = GetParam().kv_heads;
  config.head_dim = GetParam().head_dim;
  const Transformer model = uneven_model(config, 3);
  Rng rng(RandomAddress{.seed = 24});
  at::NoGradGuard no_grad;
  constexpr std::int64_t kTokens = kMaskedQueries + 100;
  const std::vector<Token> tokens = random_tokens(rng, kTokens + 1, 257);
  const at::Tensor expected = model.logits(tokens);
  Decoder decoder(model, kTokens + 1, GetParam().fused);
  const PromptTokens whole{std::span(tokens).first(kTokens)};
  KeptRow kept{.tokens = {tokens.begin(), tokens.begin() + 70}, .layers = {}};
  std::int64_t number = 0;
  const auto check = [&](const PromptTokens& prompt, std::int64_t at_once) {
    const at::Tensor predicted = decoder.add_long_prompt(prompt, at_once);
    EXPECT_LT((predicted - expected[kTokens - 1]).abs().max().item<double>(), 3e-4) << at_once;
    decoder.add_rows(number, 1);
    decoder.close_prompt(number++);
    const at::Tensor next = decoder.step(std::span(tokens).last(1));
    EXPECT_LT((next - expected[kTokens]).abs().max().item<double>(), 3e-4) << at_once;
    if (kept.layers.empty()) kept.layers = decoder.copy_row(0, 70);
    decoder.keep({});
  };
  for (const std::int64_t at_once : {40L, 64L, 300L, kTokens - 1, kTokens}) check(whole, at_once);
  for (const std::int64_t at_once : {64L, kTokens}) check({whole.tokens, &kept}, at_once);
}

// The same numbers in another type.
Transformer copy_of(const Transformer& model, at::ScalarType dtype) {
  const Transformer copy = Transformer::initialise(model.config(), 1, {.dtype = dtype});
  const auto from = model.parameters(), to = copy.parameters();
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < from.size(); ++i) to[i].tensor.copy_(from[i].tensor);
  return copy;
}

// Token by token and as a whole, both against float32 with the same weights.
TEST(Decoder, IsAsExactInBfloat16AsAWholePass) {
  const at::NoGradGuard no_grad;
  for (const ModelConfig& config : family_configs()) {
    const Transformer model = copy_of(uneven_model(config, 3), at::kBFloat16);
    const Transformer exact = copy_of(model, at::kFloat);
    Rng rng(RandomAddress{.seed = 23});
    const std::vector<Token> tokens = random_tokens(rng, 150, 257);
    constexpr std::size_t kPrompt = 40;
    const at::Tensor truth = exact.logits(tokens);
    const at::Tensor whole = model.logits(tokens).to(at::kFloat);
    Decoder decoder(model, 150);
    const PromptTokens prompt{std::span(tokens).first(kPrompt)};
    std::vector<at::Tensor> predicted = {decoder.add_prompts({&prompt, 1})[0]};
    decoder.add_rows(0, 2);
    for (std::size_t i = kPrompt; i < tokens.size(); ++i) {
      const at::Tensor logits = decoder.step(std::vector<Token>{tokens[i], tokens[i]});
      ASSERT_TRUE(at::equal(logits[0], logits[1]));
      predicted.push_back(logits[0]);
    }
    const auto first = static_cast<std::int64_t>(kPrompt) - 1;
    const auto error = [&](const at::Tensor& logits) {
      return (logits - truth.narrow(0, first, truth.size(0) - first)).square().mean().sqrt();
    };
    const auto ours = error(at::stack(predicted).to(at::kFloat)).item<double>();
    const auto of_whole = error(whole.narrow(0, first, whole.size(0) - first)).item<double>();
    EXPECT_LT(ours, 1.1 * of_whole);
    EXPECT_GT(of_whole, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, DecoderTest,
    testing::Values(DecoderShape{4, 2, 16, true}, DecoderShape{3, 3, 6, true},
                    DecoderShape{4, 1, 34, true}, DecoderShape{4, 2, 16, false},
                    DecoderShape{3, 3, 6, false}, DecoderShape{4, 2, 16, true, 1},
                    DecoderShape{4, 1, 10, false, 1}, DecoderShape{4, 2, 16, true, 2},
                    DecoderShape{6, 2, 8, false, 2}, DecoderShape{4, 2, 16, true, 3},
                    DecoderShape{4, 2, 16, false, 3}, DecoderShape{4, 2, 16, true, 4},
                    DecoderShape{6, 2, 8, false, 4}, DecoderShape{4, 2, 16, true, 5},
                    DecoderShape{4, 1, 10, false, 5}, DecoderShape{4, 2, 16, true, 6},
                    DecoderShape{6, 2, 8, false, 6}));

}  // namespace
}  // namespace redqueen
