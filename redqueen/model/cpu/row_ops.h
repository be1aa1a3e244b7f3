// The row-wise parts of a transformer layer on the CPU, each in one pass over memory where
// libtorch's own operations would take many. All compute in float32 and round what they give;
// results do not depend on the number of threads. T: float or Bfloat16.
#pragma once

#include <cstdint>

#include "redqueen/checkpoint/activation.h"
#include "redqueen/model/cpu/bfloat16.h"

namespace redqueen {

// Rows of `size` neighbouring numbers, `inner` of them to each outer step.
template <typename T>
struct Rows {
  const T* data;
  std::int64_t count, size;
  std::int64_t inner, inner_stride, outer_stride;
  const T* row(std::int64_t i) const {
    return data + (i / inner) * outer_stride + (i % inner) * inner_stride;
  }
};

// out[i] = x[i] × inverse[i] × weight, inverse[i] = 1 / √(mean(x[i]²) + eps). The first product is
// rounded to the type of `weight`, T or float. out: [count, size]; inverse: [count].
template <typename T, typename Weight>
void normalise_rows(const Rows<T>& x, const Weight* weight, float eps, T* out, float* inverse);

// Rows that one partial sum of weight gradients covers.
constexpr std::int64_t kWeightGradRows = 512;

// The derivatives of normalise_rows. x_grad: [count, size]; weight_grads: [⌈count /
// kWeightGradRows⌉, size], whose sum over the first dimension is the weight's gradient.
template <typename T, typename Weight>
void normalise_rows_backward(const Rows<T>& x, const Weight* weight, const float* inverse,
                             const Rows<T>& grad, T* x_grad, float* weight_grads);

// out[i] = activation(gate) × up, where x[i] is gate, then up; activation(gate) is rounded to T.
// out: [count, x.size / 2].
template <typename T>
void gate_rows(const Rows<T>& x, Activation activation, T* out);

// The derivative of gate_rows. x_grad: [count, x.size].
template <typename T>
void gate_rows_backward(const Rows<T>& x, Activation activation, const Rows<T>& grad, T* x_grad);

// Rotates the pairs (j, j + size / 2) of every row by the angle whose cosine and sine are
// cos[i / inner, j] and direction × sin[i / inner, j]. The products with the cosine are rounded to
// T. out: [count, size].
template <typename T>
void turn_rows(const Rows<T>& x, const T* cos, const T* sin, float direction, T* out);

}  // namespace redqueen
