#include "redqueen/decode/device_draw.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "redqueen/decode/sampler.h"
#include "redqueen/model/testing/tiny_models.h"

namespace redqueen {
namespace {

TEST(DeviceDrawTest, DrawsWhatTheHostDraws) {
  constexpr std::int64_t kRows = 400, kVocabulary = 137;
  Rng rng(RandomAddress{.seed = 8});
  at::Tensor logits = at::empty({kRows, kVocabulary}), uniforms = at::empty({kRows});
  float* logit = logits.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < logits.numel(); ++i) logit[i] = static_cast<float>(2 * rng.normal());
  float* uniform = uniforms.mutable_data_ptr<float>();
  for (std::int64_t r = 0; r < kRows; ++r) uniform[r] = static_cast<float>(rng.real()) * 0.999f;
  uniform[0] = 0;
  uniform[1] = std::nextafter(1.0f, 0.0f);
  for (const SampleParameters& parameters :
       {SampleParameters{}, SampleParameters{.temperature = 0.4}, SampleParameters{.top_k = 1},
        SampleParameters{.top_k = 7}, SampleParameters{.top_k = 1000},
        SampleParameters{.top_p = 0.6}, SampleParameters{.temperature = 1.7, .min_p = 0.2},
        SampleParameters{.top_k = 20, .top_p = 0.8}, SampleParameters{.top_k = 20, .min_p = 0.3},
        SampleParameters{.top_k = 30, .top_p = 0.9, .min_p = 0.1}}) {
    const DeviceDraw drawn = draw_on_device(logits, uniforms, parameters);
    const at::Tensor p = at::softmax(logits / parameters.temperature, -1);
    std::vector<Token> scratch;
    for (std::int64_t r = 0; r < kRows; ++r) {
      const std::span row(p.const_data_ptr<float>() + r * kVocabulary,
                          static_cast<std::size_t>(kVocabulary));
      const Token expected = draw_token(row, parameters, uniform[r], scratch);
      ASSERT_EQ(drawn.tokens[r].item<std::int64_t>(), expected) << "row " << r;
      ASSERT_NEAR(drawn.log_probs[r].item<float>(), std::log(row[expected]), 1e-5);
    }
  }
  const DeviceDraw greedy = draw_on_device(logits, uniforms, {.temperature = 0});
  EXPECT_TRUE(greedy.tokens.equal(logits.argmax(-1)));
}

TEST(DeviceDrawTest, NeverDrawsWhatHasNoShare) {
  // The last tokens have probability 0; the largest uniform number ends before them.
  at::Tensor logits = at::full({3, 50}, -200.0f);
  logits.narrow(1, 4, 3).fill_(1);
  const float last = std::nextafter(1.0f, 0.0f);
  const at::Tensor uniforms = at::full({3}, last);
  for (const SampleParameters& parameters :
       {SampleParameters{}, SampleParameters{.top_k = 2}, SampleParameters{.top_p = 0.5}}) {
    const at::Tensor tokens = draw_on_device(logits, uniforms, parameters).tokens;
    EXPECT_LE(tokens.max().item<std::int64_t>(), 6);
    EXPECT_GE(tokens.min().item<std::int64_t>(), 4);
  }
}

}  // namespace
}  // namespace redqueen
