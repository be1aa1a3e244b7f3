#include "redqueen/policy/decoder.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "redqueen/policy/test_support.h"

namespace redqueen {
namespace {

struct Shape {
  int heads, kv_heads, head_dim;
  bool fused;
  std::size_t family = 0;  // of family_configs()
};

class DecoderTest : public testing::TestWithParam<Shape> {};

// Every step, with rows leaving in between, against a forward pass over the whole sequence.
TEST_P(DecoderTest, PredictsWhatAWholePassPredicts) {
  ModelConfig config = family_configs()[GetParam().family];
  config.num_attention_heads = GetParam().heads;
  config.num_key_value_heads = GetParam().kv_heads;
  config.head_dim = GetParam().head_dim;
  const Transformer model = uneven_model(config, 3);
  Rng rng(RandomAddress{.seed = 21});
  constexpr int kSteps = 40;
  std::vector<std::vector<Token>> prompts, sequences;
  std::vector<std::int64_t> prompt_of_row;
  for (int p = 0; p < 4; ++p) {
    prompts.push_back(random_tokens(rng, rng.integer(1, 30), 257));
    for (int r = 0; r < 1 + p; ++r) {
      prompt_of_row.push_back(p);
      sequences.push_back(prompts.back());
    }
  }
  Decoder decoder(model, prompts, prompt_of_row, kSteps, GetParam().fused);
  at::NoGradGuard no_grad;
  at::Tensor predicted = decoder.prompt_logits();
  for (int step = 0;; ++step) {
    for (std::size_t row = 0; row < sequences.size(); ++row) {
      const at::Tensor expected = model.logits(sequences[row])[-1];
      const at::Tensor got = predicted[static_cast<std::int64_t>(row)];
      ASSERT_LT((got - expected).abs().max().item<double>(), 2e-4)
          << "row " << row << ", step " << step;
    }
    if (step == kSteps) break;
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
    predicted = decoder.step(tokens);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DecoderTest,
                         testing::Values(Shape{4, 2, 16, true}, Shape{3, 3, 6, true},
                                         Shape{4, 1, 34, true}, Shape{4, 2, 16, false},
                                         Shape{3, 3, 6, false}, Shape{4, 2, 16, true, 1},
                                         Shape{4, 1, 10, false, 1}, Shape{4, 2, 16, true, 2},
                                         Shape{6, 2, 8, false, 2}));

}  // namespace
}  // namespace redqueen
