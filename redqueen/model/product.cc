#include "redqueen/model/product.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "redqueen/model/cpu/matrix_product.h"
#include "redqueen/model/numbers.h"

namespace redqueen {
namespace {

constexpr std::int64_t kFewRows = 8;  // up to which units for bfloat16 do not pay

// ---- Our kernel. ----

bool has_kernel(const at::Tensor& x) {
  return x.is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16);
}

bool uses_kernel(const at::Tensor& x) {
  if (!has_kernel(x)) return false;
  return x.scalar_type() == at::kFloat || x.size(0) <= kFewRows || !has_bfloat16_units();
}

bool gradient_uses_kernel(const at::Tensor& x) {
  return has_kernel(x) && x.scalar_type() == at::kBFloat16 && !has_bfloat16_units();
}

bool rows_dense(const at::Tensor& x) { return x.size(1) <= 1 || x.stride(1) == 1; }

at::Tensor dense_rows(const at::Tensor& x) { return rows_dense(x) ? x : x.contiguous(); }

// An operand of a product, [rows, columns], as it lies: row by row or column by column.
struct Operand {
  at::Tensor tensor;
  bool by_row;
  std::int64_t stride;

  explicit Operand(const at::Tensor& x) : tensor(x), by_row(true), stride(0) {
    if (!rows_dense(x) && (x.size(0) <= 1 || x.stride(0) == 1)) {
      by_row = false;
      stride = x.size(1) == 1 ? x.size(0) : x.stride(1);
    } else {
      tensor = dense_rows(x);
      stride = tensor.size(0) == 1 ? tensor.size(1) : tensor.stride(0);
    }
  }
};

// y = scale × left · right + add, of dense rows; right is [terms, outs].
template <typename T, typename Y>
void run(const at::Tensor& y, const at::Tensor& left, const at::Tensor& right, double scale,
         const at::Tensor& add) {
  const Operand x(left), matrix(right);
  const bool each = add.defined() && add.dim() == 2;
  multiply(
      MatrixProduct<T, Y>{.rows = left.size(0),
                          .inner = left.size(1),
                          .outs = right.size(1),
                          .x = numbers_of<T>(x.tensor),
                          .x_row = x.by_row ? x.stride : 1,
                          .x_term = x.by_row ? 1 : x.stride,
                          .matrix = numbers_of<T>(matrix.tensor),
                          .layout = matrix.by_row ? MatrixLayout::kByTerm : MatrixLayout::kByOut,
                          .matrix_stride = matrix.stride,
                          .scale = static_cast<float>(scale),
                          .add = numbers_of<Y>(add),
                          .add_stride = each ? (add.size(0) == 1 ? add.size(1) : add.stride(0)) : 0,
                          .y = numbers_to_write<Y>(y),
                          .y_stride = y.size(0) == 1 ? y.size(1) : y.stride(0)});
}

// Writes into y, of the type of `left` or float32.
void run_kernel(const at::Tensor& y, const at::Tensor& left, const at::Tensor& right,
                double scale = 1, const at::Tensor& add = {}) {
  if (left.scalar_type() == at::kFloat) return run<float, float>(y, left, right, scale, add);
  if (y.scalar_type() == at::kFloat) return run<Bfloat16, float>(y, left, right, scale, add);
  run<Bfloat16, Bfloat16>(y, left, right, scale, add);
}

at::Tensor made_by_kernel(const at::Tensor& left, const at::Tensor& right,
                          const at::Tensor& add = {}) {
  const at::Tensor y = at::empty({left.size(0), right.size(1)}, left.options());
  run_kernel(y, left, right, 1, add);
  return y;
}

// AMX-BF16, by CPUID: __builtin_cpu_supports() has no name for it before Clang 17.
bool finds_bfloat16_units() {
#if defined(__x86_64__)
  constexpr unsigned kFeatures = 7, kAmxBf16 = 22;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(kFeatures, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx >> kAmxBf16 & 1) != 0;
#else
  return true;  // not measured
#endif
}

// ---- With gradients. ----

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class Linear : public torch::autograd::Function<Linear> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& matrix,
                            const std::optional<at::Tensor>& add) {
    context->save_for_backward({x, matrix});
    context->saved_data["dims"] = add.has_value() ? add->dim() : 0;
    context->saved_data["x_grad"] = x.requires_grad();
    context->saved_data["matrix_grad"] = matrix.requires_grad();
    return product(x, matrix, add.value_or(at::Tensor()));
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor grad = grads[0].contiguous();
    variable_list results(3);
    if (context->saved_data["x_grad"].toBool()) results[0] = product_input_grad(grad, saved[1]);
    if (context->saved_data["matrix_grad"].toBool()) {
      results[1] = product_weight_grad(grad, saved[0]);
    }
    const std::int64_t dims = context->saved_data["dims"].toInt();
    if (dims > 0) results[2] = dims == 2 ? grads[0] : grad.sum(0);
    return results;
  }
};

}  // namespace

bool has_bfloat16_units() {
  static const bool found = finds_bfloat16_units();
  return found;
}

at::Tensor product(const at::Tensor& x, const at::Tensor& matrix, const at::Tensor& add) {
  if (uses_kernel(x)) return made_by_kernel(x, matrix.t(), add.defined() ? add.contiguous() : add);
  return add.defined() ? at::addmm(add, x, matrix.t()) : x.mm(matrix.t());
}

void add_product(const at::Tensor& y, const at::Tensor& x, const at::Tensor& matrix, double scale) {
  if (uses_kernel(x)) return run_kernel(y, x, matrix.t(), scale, y);
  at::Tensor sum = y;
  sum.addmm_(x, matrix.t(), 1, scale);
}

at::Tensor product_input_grad(const at::Tensor& grad, const at::Tensor& matrix) {
  return gradient_uses_kernel(grad) ? made_by_kernel(grad, matrix) : grad.mm(matrix);
}

at::Tensor product_weight_grad(const at::Tensor& grad, const at::Tensor& x) {
  return gradient_uses_kernel(grad) ? made_by_kernel(grad.t(), x) : grad.t().mm(x);
}

void accumulate_product(const at::Tensor& sum, const at::Tensor& left, const at::Tensor& right) {
  at::Tensor to = sum;
  if (gradient_uses_kernel(left)) return run_kernel(sum, left, right, 1, sum);
  if (left.scalar_type() == at::kFloat) {
    to.addmm_(left, right);
  } else {
    to.add_(left.mm(right));
  }
}

at::Tensor linear_product(const at::Tensor& x, const at::Tensor& matrix, const at::Tensor& add) {
  if (!at::GradMode::is_enabled()) return product(x, matrix, add);
  return Linear::apply(x, matrix, add.defined() ? std::optional(add) : std::nullopt);
}

}  // namespace redqueen
