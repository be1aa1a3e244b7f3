// The row-wise parts of a transformer layer on the CPU in float32, each in one pass over memory
// where libtorch's own operations would take many. Results do not depend on the number of threads.
#pragma once

#include <cstdint>

#include "redqueen/checkpoint/activation.h"

namespace redqueen {

// Rows of `size` neighbouring numbers, `inner` of them to each outer step.
struct Rows {
  const float* data;
  std::int64_t count, size;
  std::int64_t inner, inner_stride, outer_stride;
  const float* row(std::int64_t i) const {
    return data + (i / inner) * outer_stride + (i % inner) * inner_stride;
  }
};

// out[i] = x[i] × inverse[i] × weight, inverse[i] = 1 / √(mean(x[i]²) + eps). out: [count, size];
// inverse: [count].
void normalise_rows(const Rows& x, const float* weight, float eps, float* out, float* inverse);

// Rows that one partial sum of weight gradients covers.
constexpr std::int64_t kWeightGradRows = 512;

// The derivatives of normalise_rows. x_grad: [count, size]; weight_grads: [⌈count /
// kWeightGradRows⌉, size], whose sum over the first dimension is the weight's gradient.
void normalise_rows_backward(const Rows& x, const float* weight, const float* inverse,
                             const Rows& grad, float* x_grad, float* weight_grads);

// out[i] = activation(gate) × up, where x[i] is gate, then up. out: [count, x.size / 2].
void gate_rows(const Rows& x, Activation activation, float* out);

// The derivative of gate_rows. x_grad: [count, x.size].
void gate_rows_backward(const Rows& x, Activation activation, const Rows& grad, float* x_grad);

// Rotates the pairs (j, j + size / 2) of every row by the angle whose cosine and sine are
// cos[i / inner, j] and direction × sin[i / inner, j]. out: [count, size].
void turn_rows(const Rows& x, const float* cos, const float* sin, float direction, float* out);

}  // namespace redqueen
