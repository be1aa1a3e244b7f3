// Matrix products on the CPU whose every number is one sum in one order: what a row comes to does
// not depend, bit for bit, on how many rows stand beside it, on the number of threads, or on
// whether a response is being sampled or trained on.
#pragma once

#include <cstdint>

#include "redqueen/model/cpu/bfloat16.h"

namespace redqueen {

// How the numbers of a matrix with `outs` columns of a product, each a sum over `inner` terms, lie.
enum class MatrixLayout {
  kByOut,   // [outs, inner]: as weights are stored
  kByTerm,  // [inner, outs]
};

// y[r, o] = scale × Σ_k x(r, k) × matrix(o, k) + add[r, o], with x(r, k) = x[r × x_row + k ×
// x_term]. One of the strides of x is 1. Pointers may not overlap, but `add` may be y.
template <typename T, typename Y>  // float or Bfloat16
struct MatrixProduct {
  std::int64_t rows, inner, outs;
  const T* x;
  std::int64_t x_row, x_term;
  const T* matrix;
  MatrixLayout layout;
  std::int64_t matrix_stride;  // from out to out, or from term to term
  float scale = 1;
  const Y* add;             // null: nothing is added
  std::int64_t add_stride;  // from row to row; 0: the same for all rows
  Y* y;
  std::int64_t y_stride;
};

// Terms are added one after the other in float32, each with one rounding where the processor can
// (fused multiply-add), and the result is rounded once.
void multiply(const MatrixProduct<float, float>& product);
void multiply(const MatrixProduct<Bfloat16, Bfloat16>& product);
void multiply(const MatrixProduct<Bfloat16, float>& product);

}  // namespace redqueen
