// Products of a matrix with few vectors on the CPU, as decoding makes them: each number of the
// matrix is used once a vector, so that the time is that of reading it from memory. General
// products copy the matrix into another order first, in every call.
#pragma once

#include <cstdint>

#include "redqueen/model/cpu/bfloat16.h"

namespace redqueen {

// Up to so many vectors this is faster than libtorch's products. For bfloat16 some processors have
// units of their own (AMX), which libtorch uses.
constexpr std::int64_t kFewFloatRows = 24;
constexpr std::int64_t kFewBfloat16Rows = 64, kFewBfloat16RowsBesideUnits = 8;

// Of the processor that this runs on.
std::int64_t few_bfloat16_rows();

// y[r, o] = Σ_i x[r, i] × matrix[o, i] + add[r × add_stride + o]
template <typename T>  // float or Bfloat16
struct FewRows {
  std::int64_t rows, in, out;
  const T* x;               // [rows, in]
  const T* matrix;          // [out, in]
  const T* add;             // null: nothing is added
  std::int64_t add_stride;  // 0: the same for all rows
  T* y;                     // [rows, out]
};

// At most max(kFewFloatRows, kFewBfloat16Rows) rows. Sums are float32, in an order that depends on
// nothing but `in`: a row's result is the same, bit for bit, whatever rows stand beside it and
// however many threads there are.
void multiply_few_rows(const FewRows<float>& product);
void multiply_few_rows(const FewRows<Bfloat16>& product);

}  // namespace redqueen
