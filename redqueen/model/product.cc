#include "redqueen/model/product.h"

#include <ATen/ATen.h>

#include "redqueen/model/cpu/few_rows.h"
#include "redqueen/model/numbers.h"

namespace redqueen {
namespace {

bool few_rows(const at::Tensor& x, const at::Tensor& matrix) {
  if (!x.is_cpu() || x.numel() == 0 || !matrix.is_contiguous()) return false;
  if (x.scalar_type() == at::kFloat) return x.size(0) <= kFewFloatRows;
  return x.scalar_type() == at::kBFloat16 && x.size(0) <= few_bfloat16_rows();
}

template <typename T>
at::Tensor multiply(const at::Tensor& x, const at::Tensor& matrix, const at::Tensor& add) {
  const at::Tensor y = at::empty({x.size(0), matrix.size(0)}, x.options());
  multiply_few_rows(FewRows<T>{.rows = x.size(0),
                               .in = x.size(1),
                               .out = matrix.size(0),
                               .x = numbers_of<T>(x),
                               .matrix = numbers_of<T>(matrix),
                               .add = numbers_of<T>(add),
                               .add_stride = add.defined() && add.dim() == 2 ? matrix.size(0) : 0,
                               .y = numbers_to_write<T>(y)});
  return y;
}

}  // namespace

at::Tensor product(const at::Tensor& x, const at::Tensor& matrix, const at::Tensor& add) {
  if (few_rows(x, matrix)) {
    const at::Tensor dense = x.contiguous();
    const at::Tensor addend = add.defined() ? add.contiguous() : add;
    return with_numbers_of(
        x, [&](auto number) { return multiply<decltype(number)>(dense, matrix, addend); });
  }
  return add.defined() ? at::addmm(add, x, matrix.t()) : x.mm(matrix.t());
}

}  // namespace redqueen
