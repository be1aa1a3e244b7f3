#include "redqueen/model/lora_layers.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "redqueen/model/product.h"

namespace redqueen {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;
using MaybeTensor = std::optional<at::Tensor>;

// Rows [begin, begin + count) of a product, by number of the pair.
struct Places {
  std::vector<std::int64_t> begins, counts;
};

void add_pair(const at::Tensor& y, const at::Tensor& x, const at::Tensor& a, const at::Tensor& b,
              double scale) {
  const auto type = x.scalar_type();
  add_product(y, product(x, a.to(type)), b.to(type), scale);
}

// With g the gradient of the product's rows, u = x·aᵀ and w = scale × g·b: the gradients are wᵀ·x
// of a, scale × gᵀ·u of b, and g·matrix + w·a of x.
class AdaptedLinear : public Function<AdaptedLinear> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const MaybeTensor& residual, const at::Tensor& matrix,
                            const MaybeTensor& bias, const Places& places, double scale,
                            at::TensorList pairs) {
    variable_list saved{x, matrix};
    saved.insert(saved.end(), pairs.begin(), pairs.end());
    context->save_for_backward(std::move(saved));
    context->saved_data["begins"] = places.begins;
    context->saved_data["counts"] = places.counts;
    context->saved_data["scale"] = scale;
    context->saved_data["residual"] = residual.has_value();
    context->saved_data["x_grad"] = x.requires_grad();
    const at::Tensor y =
        product(x, matrix, residual.has_value() ? *residual : bias.value_or(at::Tensor()));
    for (std::size_t i = 0; i < places.begins.size(); ++i) {
      add_pair(y.narrow(1, places.begins[i], places.counts[i]), x, pairs[2 * i], pairs[2 * i + 1],
               scale);
    }
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &matrix = saved[1];
    const auto begins = context->saved_data["begins"].toIntVector();
    const auto counts = context->saved_data["counts"].toIntVector();
    const double scale = context->saved_data["scale"].toDouble();
    const bool wants_x = context->saved_data["x_grad"].toBool();
    const at::Tensor grad = grads[0].contiguous();
    at::Tensor x_grad = wants_x ? product_input_grad(grad, matrix) : at::Tensor();
    variable_list results(6 + 2 * begins.size());
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const at::Tensor a = saved[2 + 2 * i].to(x.scalar_type());
      const at::Tensor b = saved[3 + 2 * i].to(x.scalar_type());
      const at::Tensor part = grad.narrow(1, begins[i], counts[i]);
      const at::Tensor inner = product_input_grad(part, b).mul_(scale);  // [T, rank]
      if (wants_x) add_product(x_grad, inner, a.t(), 1);
      results[6 + 2 * i] = product_weight_grad(inner, x).to(at::kFloat);
      results[7 + 2 * i] = product_weight_grad(part, product(x, a).mul_(scale)).to(at::kFloat);
    }
    results[0] = x_grad;
    if (context->saved_data["residual"].toBool()) results[1] = grads[0];
    return results;
  }
};

MaybeTensor maybe(const at::Tensor& tensor) {
  return tensor.defined() ? MaybeTensor(tensor) : std::nullopt;
}

}  // namespace

at::Tensor adapted_linear(const at::Tensor& x, const at::Tensor& residual,
                          const AdaptedMatrix& weights) {
  if (!at::GradMode::is_enabled()) {
    const at::Tensor y = product(x, weights.matrix, residual.defined() ? residual : weights.bias);
    add_adapted(y, x, weights);
    return y;
  }
  Places places;
  variable_list pairs;
  for (const auto& [pair, begin, count] : weights.rows) {
    if (!pair.defined()) continue;
    places.begins.push_back(begin);
    places.counts.push_back(count);
    pairs.push_back(pair.a);
    pairs.push_back(pair.b);
  }
  return AdaptedLinear::apply(x, maybe(residual), weights.matrix, maybe(weights.bias), places,
                              weights.scale, at::TensorList(pairs));
}

void add_adapted(const at::Tensor& y, const at::Tensor& x, const AdaptedMatrix& weights) {
  for (const auto& [pair, begin, count] : weights.rows) {
    if (pair.defined()) add_pair(y.narrow(1, begin, count), x, pair.a, pair.b, weights.scale);
  }
}

}  // namespace redqueen
