#include "redqueen/model/layer_ops.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "redqueen/model/cpu/row_ops.h"
#include "redqueen/model/numbers.h"
#include "redqueen/model/product.h"

namespace redqueen {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// Each operation is there twice: in one pass where row_ops.h can (on the CPU), otherwise composed
// of libtorch's operations.
bool has_row_ops(const at::Tensor& x) {
  return x.is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16) &&
         x.numel() > 0;
}

// x: [outer, size] or [outer, inner, size], the last dimension dense.
template <typename T>
Rows<T> rows_of(const at::Tensor& x) {
  const bool nested = x.dim() == 3;
  return {.data = numbers_of<T>(x),
          .count = x.numel() / x.size(-1),
          .size = x.size(-1),
          .inner = nested ? x.size(1) : 1,
          .inner_stride = nested ? x.stride(1) : 0,
          .outer_stride = x.stride(0)};
}

at::Tensor dense_rows(const at::Tensor& x) { return x.stride(-1) == 1 ? x : x.contiguous(); }

at::Tensor new_like(const at::Tensor& x) { return at::empty(x.sizes(), x.options()); }

class RmsNorm : public Function<RmsNorm> {
 public:
  struct Result {
    at::Tensor normal;
    at::Tensor inverse;  // one over the root of the mean square, float32
  };

  static Result normalise(const at::Tensor& x, const at::Tensor& weight, const Norm& norm) {
    const at::Tensor factors = factors_of(weight, norm.plus_one);
    if (has_row_ops(x)) return normalise_fused(dense_rows(x), factors, norm.eps);
    const at::ScalarType type = x.scalar_type();
    if (x.is_cuda()) {
      auto [normal, inverse] =
          at::_fused_rms_norm(x.to(factors.scalar_type()), weight.sizes(), factors, norm.eps);
      return {normal.to(type), inverse};
    }
    const at::Tensor wide = x.to(at::kFloat);
    const at::Tensor inverse = wide.square().mean(-1, /*keepdim=*/true).add_(norm.eps).rsqrt_();
    return {(wide * inverse).to(factors.scalar_type()).mul_(factors).to(type), inverse};
  }

  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const Norm& norm) {
    const Result result = normalise(x, weight, norm);
    context->save_for_backward({x, weight, result.inverse});
    context->saved_data["plus_one"] = norm.plus_one;
    return result.normal;
  }

  // With n = x × r the normalised input and g = grad × weight: dx = r × (g − n × mean(g × n)),
  // dweight = Σ grad × n.
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor factors = factors_of(saved[1], context->saved_data["plus_one"].toBool());
    if (has_row_ops(saved[0])) {
      return backward_fused(dense_rows(saved[0]), factors, saved[2], dense_rows(grads[0]));
    }
    const at::Tensor& inverse = saved[2];
    if (saved[0].is_cuda()) {
      const at::ScalarType type = factors.scalar_type();
      auto [x_grad, weight_grad] = at::_fused_rms_norm_backward(
          grads[0].contiguous().to(type), saved[0].contiguous().to(type), factors.sizes(), inverse,
          factors, {true, true});
      return {x_grad.to(saved[0].scalar_type()), weight_grad.to(saved[1].scalar_type()), {}};
    }
    const at::Tensor grad = grads[0].to(at::kFloat);
    const at::Tensor normal = saved[0].to(at::kFloat) * inverse;
    at::Tensor product = grad * normal;
    const at::Tensor weight_grad = product.reshape({-1, product.size(-1)}).sum(0);
    const at::Tensor weight = factors.to(at::kFloat);
    const at::Tensor mean = product.mul_(weight).mean(-1, /*keepdim=*/true);
    at::Tensor x_grad = (grad * weight).addcmul_(normal, mean, -1).mul_(inverse);
    return {x_grad.to(saved[0].scalar_type()), weight_grad.to(saved[1].scalar_type()), {}};
  }

 private:
  // What the normalised input is multiplied by; 1 + weight in float32.
  static at::Tensor factors_of(const at::Tensor& weight, bool plus_one) {
    return plus_one ? weight.to(at::kFloat) + 1 : weight;
  }

  static Result normalise_fused(const at::Tensor& x, const at::Tensor& weight, double eps) {
    const Result result{new_like(x),
                        at::empty({x.numel() / x.size(-1)}, x.options().dtype(at::kFloat))};
    with_types_of(x, weight, [&](auto number, auto factor) {
      using T = decltype(number);
      normalise_rows(rows_of<T>(x), numbers_of<decltype(factor)>(weight), static_cast<float>(eps),
                     numbers_to_write<T>(result.normal), numbers_to_write<float>(result.inverse));
    });
    return result;
  }

  static variable_list backward_fused(const at::Tensor& x, const at::Tensor& weight,
                                      const at::Tensor& inverse, const at::Tensor& grad) {
    const at::Tensor x_grad = new_like(x);
    const std::int64_t size = x.size(-1), count = x.numel() / size;
    const std::int64_t blocks = (count + kWeightGradRows - 1) / kWeightGradRows;
    const at::Tensor weight_grads = at::empty({blocks, size}, x.options().dtype(at::kFloat));
    with_types_of(x, weight, [&](auto number, auto factor) {
      using T = decltype(number);
      normalise_rows_backward(rows_of<T>(x), numbers_of<decltype(factor)>(weight),
                              numbers_of<float>(inverse), rows_of<T>(grad),
                              numbers_to_write<T>(x_grad), numbers_to_write<float>(weight_grads));
    });
    return {x_grad, weight_grads.sum(0).to(x.scalar_type()), {}};
  }

  // Calls body(T{}, Weight{}) for the types of row_ops.h.
  template <typename Body>
  static void with_types_of(const at::Tensor& x, const at::Tensor& weight, const Body& body) {
    if (x.scalar_type() == at::kFloat) return body(float{}, float{});
    with_numbers_of(weight, [&](auto factor) { body(Bfloat16{}, factor); });
  }
};

class StackedLinear : public Function<StackedLinear> {
 public:
  using MaybeTensor = std::optional<at::Tensor>;

  // The leaves are arguments only so that autograd asks for their gradients.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& stacked, const MaybeTensor& bias,
                            const at::Tensor& first, const at::Tensor& second,
                            const MaybeTensor& third, const MaybeTensor& first_bias,
                            const MaybeTensor& second_bias, const MaybeTensor& third_bias) {
    context->save_for_backward({x, stacked});
    context->saved_data["sizes"] = std::vector<std::int64_t>{
        first.size(0), second.size(0), third.has_value() ? third->size(0) : 0};
    context->saved_data["biases"] =
        std::int64_t{first_bias.has_value()} + second_bias.has_value() + third_bias.has_value();
    return product(x, stacked, bias.value_or(at::Tensor()));
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor grad = grads[0].contiguous();
    const at::Tensor weight_grad = product_weight_grad(grad, saved[0]);
    const std::int64_t biases = context->saved_data["biases"].toInt();
    const at::Tensor bias_grad = biases > 0 ? grad.sum(0) : at::Tensor();
    variable_list results(9);
    results[0] = product_input_grad(grad, saved[1]);
    std::int64_t row = 0;
    std::size_t part = 0;
    for (const std::int64_t size : context->saved_data["sizes"].toIntVector()) {
      if (size > 0) results[3 + part] = weight_grad.narrow(0, row, size);
      if (static_cast<std::int64_t>(part) < biases) {
        results[6 + part] = bias_grad.narrow(0, row, size);
      }
      row += size;
      ++part;
    }
    return results;
  }
};

class Gated : public Function<Gated> {
 public:
  static at::Tensor compute(const at::Tensor& gate_up, Activation activation) {
    const std::int64_t inner = gate_up.size(-1) / 2;
    if (has_row_ops(gate_up)) {
      std::vector<std::int64_t> shape = gate_up.sizes().vec();
      shape.back() = inner;
      const at::Tensor out = at::empty(shape, gate_up.options());
      with_numbers_of(gate_up, [&](auto number) {
        using T = decltype(number);
        gate_rows(rows_of<T>(dense_rows(gate_up)), activation, numbers_to_write<T>(out));
      });
      return out;
    }
    const at::Tensor gate = gate_up.narrow(-1, 0, inner);
    at::Tensor active = activation == Activation::kSilu ? at::silu(gate) : at::gelu(gate, kTanh);
    return active.mul_(gate_up.narrow(-1, inner, inner));
  }

  static at::Tensor forward(AutogradContext* context, const at::Tensor& gate_up,
                            Activation activation) {
    context->save_for_backward({gate_up});
    context->saved_data["silu"] = activation == Activation::kSilu;
    return compute(gate_up, activation);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const at::Tensor gate_up = context->get_saved_variables()[0];
    const bool silu = context->saved_data["silu"].toBool();
    if (has_row_ops(gate_up)) {
      const at::Tensor result = new_like(gate_up);
      with_numbers_of(gate_up, [&](auto number) {
        using T = decltype(number);
        gate_rows_backward(rows_of<T>(dense_rows(gate_up)),
                           silu ? Activation::kSilu : Activation::kGelu,
                           rows_of<T>(dense_rows(grads[0])), numbers_to_write<T>(result));
      });
      return {result, {}};
    }
    const std::int64_t inner = gate_up.size(-1) / 2;
    const at::Tensor gate = gate_up.narrow(-1, 0, inner);
    const at::Tensor up = gate_up.narrow(-1, inner, inner);
    at::Tensor result = at::empty_like(gate_up);
    at::Tensor up_grad = result.narrow(-1, inner, inner);
    at::Tensor gate_grad = result.narrow(-1, 0, inner);
    if (silu) {
      at::silu_out(up_grad, gate).mul_(grads[0]);
      at::silu_backward_out(gate_grad, grads[0] * up, gate);
    } else {
      at::gelu_out(up_grad, gate, kTanh).mul_(grads[0]);
      at::gelu_backward_out(gate_grad, grads[0] * up, gate, kTanh);
    }
    return {result, {}};
  }

 private:
  static constexpr const char* kTanh = "tanh";
};

class Rotate : public Function<Rotate> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& cos,
                            const at::Tensor& sin) {
    context->save_for_backward({cos, sin});
    return turn(x, cos, sin, 1);
  }

  // The inverse of a rotation is the rotation by the opposite angle.
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    return {turn(grads[0], saved[0], saved[1], -1), {}, {}};
  }

  static at::Tensor turn(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin,
                         int direction) {
    if (has_row_ops(x)) {
      const at::Tensor out = new_like(x);
      with_numbers_of(x, [&](auto number) {
        using T = decltype(number);
        turn_rows(rows_of<T>(dense_rows(x)), numbers_of<T>(cos), numbers_of<T>(sin),
                  static_cast<float>(direction), numbers_to_write<T>(out));
      });
      return out;
    }
    const std::int64_t half = x.size(-1) / 2;
    const at::Tensor left = x.narrow(-1, 0, half);
    const at::Tensor right = x.narrow(-1, half, half);
    at::Tensor result = at::empty(x.sizes(), x.options());
    at::Tensor result_left = result.narrow(-1, 0, half);
    at::Tensor result_right = result.narrow(-1, half, half);
    at::mul_out(result_left, left, cos).addcmul_(right, sin, -direction);
    at::mul_out(result_right, right, cos).addcmul_(left, sin, direction);
    return result;
  }
};

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, const Norm& norm) {
  if (!at::GradMode::is_enabled()) return RmsNorm::normalise(x, weight, norm).normal;
  return RmsNorm::apply(x, weight, norm);
}

at::Tensor stacked_linear(const at::Tensor& x, const StackedWeights& weights) {
  if (!at::GradMode::is_enabled()) return product(x, weights.stacked, weights.stacked_bias);
  std::optional<at::Tensor> bias;  // autograd wants no undefined tensors
  if (weights.stacked_bias.defined()) bias = weights.stacked_bias;
  const auto at_most = [](const std::vector<at::Tensor>& list, std::size_t i) {
    return i < list.size() ? std::optional(list[i]) : std::nullopt;
  };
  return StackedLinear::apply(x, weights.stacked, bias, weights.parts[0], weights.parts[1],
                              at_most(weights.parts, 2), at_most(weights.biases, 0),
                              at_most(weights.biases, 1), at_most(weights.biases, 2));
}

at::Tensor gated(const at::Tensor& gate_up, Activation activation) {
  return at::GradMode::is_enabled() ? Gated::apply(gate_up, activation)
                                    : Gated::compute(gate_up, activation);
}

at::Tensor capped(const at::Tensor& x, double cap) { return cap > 0 ? (x / cap).tanh() * cap : x; }

at::Tensor ruled_scores(const at::Tensor& products, const AttentionRule& rule) {
  return capped(products, rule.cap);
}

at::Tensor rotate(const at::Tensor& x, const Rotary& rotary) {
  if (!at::GradMode::is_enabled()) return Rotate::turn(x, rotary.cos, rotary.sin, 1);
  return Rotate::apply(x, rotary.cos, rotary.sin);
}

}  // namespace redqueen
