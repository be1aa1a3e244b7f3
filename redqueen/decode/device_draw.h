// Draws a token for each of many rows on the device; sampler.h does the same for one row on the
// host.
#pragma once

#include <ATen/core/Tensor.h>

#include "redqueen/policy/policy.h"

namespace redqueen {

struct DeviceDraw {
  at::Tensor tokens;     // [rows] int64
  at::Tensor log_probs;  // [rows] float32
};

// logits: [rows, vocabulary]; uniforms: [rows] float32 in [0, 1). Draws what draw_token() draws,
// but that sums are taken in another order: near the edge between two tokens either may come. Never
// waits for the device. Of kRowsDrawnAtOnce rows at a time: sorting them takes some sixty bytes a
// logit.
DeviceDraw draw_on_device(const at::Tensor& logits, const at::Tensor& uniforms,
                          const SampleParameters& parameters);

}  // namespace redqueen
