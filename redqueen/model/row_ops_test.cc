#include "redqueen/model/cpu/row_ops.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "redqueen/base/rng.h"
#include "redqueen/model/layer_ops.h"
#include "redqueen/model/numbers.h"

namespace redqueen {
namespace {

// Bfloat16 numbers on a line: neighbours are one apart.
at::Tensor on_a_line(const at::Tensor& x) {
  const at::Tensor bits = x.contiguous().view(at::kShort).to(at::kInt);
  return at::where(bits < 0, -32768 - bits, bits);
}

std::int64_t units_apart(const at::Tensor& a, const at::Tensor& b) {
  return (on_a_line(a) - on_a_line(b)).abs().max().item<std::int64_t>();
}

// Rows, and how many numbers one has: around the 16 and 32 of a vector, and beyond one thread's
// share.
struct RowsShape {
  std::int64_t count, size;
};
constexpr RowsShape kShapes[] = {{1, 2},  {3, 6},    {2, 16},   {5, 30},     {1, 34},
                                 {4, 62}, {3, 1026}, {600, 96}, {1100, 130}, {17, 770}};

class RowOpsTest : public testing::Test {
 protected:
  at::Tensor random(at::IntArrayRef shape, double deviation = 1) {
    at::Tensor result = at::empty(shape, at::kFloat);
    for (std::int64_t i = 0; i < result.numel(); ++i) {
      result.mutable_data_ptr<float>()[i] = static_cast<float>(deviation * rng_.normal());
    }
    return result.to(at::kBFloat16);
  }

  // [outer, inner, size], as heads lie between others in memory.
  at::Tensor random_heads(std::int64_t outer, std::int64_t inner, std::int64_t size) {
    return random({outer, inner + 3, size}).narrow(1, 2, inner);
  }

  // Rows that lie farther apart than they are long.
  at::Tensor random_rows(const RowsShape& shape, double deviation = 1) {
    return random({shape.count, shape.size + 5}, deviation).narrow(1, 3, shape.size);
  }

  // gradients of Σ out × grad
  static std::vector<at::Tensor> differentiate(const at::Tensor& out, const at::Tensor& grad,
                                               const std::vector<at::Tensor>& inputs) {
    return torch::autograd::grad({out}, inputs, {grad});
  }

  // Within one rounding to bfloat16, 2^−8, and that of float32 sums of numbers of size `scale`.
  static void expect_rounded(const at::Tensor& made, const at::Tensor& exact, double scale) {
    ASSERT_EQ(made.scalar_type(), at::kBFloat16);
    const at::Tensor error = (made.to(at::kDouble) - exact).abs();
    EXPECT_TRUE((error <= exact.abs() * (1.001 / 256) + 1e-5 * scale).all().item<bool>())
        << error.max().item<double>();
  }

  Rng rng_{RandomAddress{.seed = 6}};
};

at::Tensor leaf_of(const at::Tensor& x, at::ScalarType type = at::kBFloat16) {
  return x.detach().to(type).set_requires_grad(true);
}

at::Tensor inverse_of(const at::Tensor& x, double eps) {
  return (x.square().mean(-1, /*keepdim=*/true) + eps).rsqrt();
}

TEST_F(RowOpsTest, NormalisesAsLibtorchDoesToTheBitByTheSameRoot) {
  const at::NoGradGuard no_grad;
  for (const RowsShape& shape : kShapes) {
    SCOPED_TRACE(testing::Message() << shape.count << " × " << shape.size);
    const at::Tensor x = random_rows(shape), weight = random({shape.size});
    const Rows<Bfloat16> rows{.data = numbers_of<Bfloat16>(x),
                              .count = shape.count,
                              .size = shape.size,
                              .inner = 1,
                              .inner_stride = 0,
                              .outer_stride = x.stride(0)};
    for (const at::Tensor& factors : {weight, weight.to(at::kFloat) + 1}) {
      const at::Tensor out = at::empty(x.sizes(), at::kBFloat16);
      const at::Tensor inverse = at::empty({shape.count, 1}, at::kFloat);
      with_numbers_of(factors, [&](auto number) {
        normalise_rows(rows, numbers_of<decltype(number)>(factors), 1e-5F,
                       numbers_to_write<Bfloat16>(out), numbers_to_write<float>(inverse));
      });
      EXPECT_TRUE(at::allclose(inverse.to(at::kDouble), inverse_of(x.to(at::kDouble), 1e-5), 1e-6));
      const at::Tensor normal = (x.to(at::kFloat) * inverse).to(factors.scalar_type());
      EXPECT_TRUE(at::equal(out, (normal * factors).to(at::kBFloat16)));
    }
  }
}

// The root's last bit may round the normalised number up or down, and the product again.
TEST_F(RowOpsTest, NormalisesWithinTwoUnitsOfLibtorchsOperations) {
  const at::NoGradGuard no_grad;
  for (const RowsShape& shape : kShapes) {
    const at::Tensor rows = random_rows(shape), heads = random_heads(shape.count, 3, shape.size);
    const at::Tensor weight = random({shape.size});
    for (const at::Tensor& x : {rows, heads}) {
      const at::Tensor wide = x.to(at::kFloat);
      const at::Tensor normal = wide * inverse_of(wide, 1e-5);
      const at::Tensor plain = rms_norm(x, weight, {.eps = 1e-5});
      EXPECT_LE(units_apart(plain, normal.to(at::kBFloat16) * weight), 2);
      const at::Tensor plus_one = rms_norm(x, weight, {.eps = 1e-5, .plus_one = true});
      const at::Tensor factors = weight.to(at::kFloat) + 1;
      EXPECT_LE(units_apart(plus_one, (normal * factors).to(at::kBFloat16)), 1);
    }
  }
}

at::Tensor activated(const at::Tensor& x, Activation activation) {
  return activation == Activation::kSilu ? at::silu(x) : at::gelu(x, "tanh");
}

// The activation within one unit of the exact one, which libtorch's is not where 1 + tanh
// cancels; its product to the bit.
TEST_F(RowOpsTest, GatesByARoundedActivation) {
  const at::NoGradGuard no_grad;
  for (const Activation activation : {Activation::kSilu, Activation::kGelu}) {
    for (const RowsShape& shape : kShapes) {
      SCOPED_TRACE(testing::Message() << shape.count << " × " << shape.size);
      const at::Tensor gate_up = random_rows({shape.count, 2 * shape.size}, 2);
      const at::Tensor gate = gate_up.narrow(1, 0, shape.size);
      const at::Tensor up = gate_up.narrow(1, shape.size, shape.size);
      const at::Tensor active = gated(at::cat({gate, at::ones_like(gate)}, 1), activation);
      const at::Tensor wide = gate.to(at::kDouble);
      // x × 1 / (1 + e^−z), which does not cancel.
      const at::Tensor z = activation == Activation::kSilu
                               ? wide
                               : std::sqrt(8 / M_PI) * (wide + 0.044715 * wide.pow(3));
      EXPECT_LE(units_apart(active, (wide * z.sigmoid()).to(at::kBFloat16)), 1);
      const at::Tensor theirs = activated(gate, activation);
      EXPECT_TRUE(at::allclose(active.to(at::kFloat), theirs.to(at::kFloat), 1.0 / 128, 1e-6));
      EXPECT_TRUE(at::equal(gated(gate_up, activation), active * up));
    }
  }
}

TEST_F(RowOpsTest, RotatesAsLibtorchDoesToTheBit) {
  const at::NoGradGuard no_grad;
  for (const RowsShape& shape : kShapes) {
    SCOPED_TRACE(testing::Message() << shape.count << " × " << shape.size);
    const std::int64_t half = shape.size / 2;
    const at::Tensor x = random_heads(shape.count, 3, shape.size);
    const at::Tensor angles = random({shape.count, 1, half}, 3).to(at::kFloat);
    const at::Tensor cos = angles.cos().to(at::kBFloat16), sin = angles.sin().to(at::kBFloat16);
    const at::Tensor left = x.narrow(-1, 0, half), right = x.narrow(-1, half, half);
    const at::Tensor expected = at::cat(
        {at::addcmul(left * cos, right, sin, -1), at::addcmul(right * cos, left, sin, 1)}, -1);
    EXPECT_TRUE(at::equal(rotate(x, {cos, sin}), expected));
  }
}

TEST_F(RowOpsTest, DerivativesOfNormsAreRoundedOnce) {
  for (const RowsShape& shape : kShapes) {
    for (const bool plus_one : {false, true}) {
      SCOPED_TRACE(testing::Message() << shape.count << " × " << shape.size);
      const at::Tensor x = random_rows(shape), weight = random({shape.size});
      const at::Tensor grad = random_rows(shape);
      const at::Tensor our_x = leaf_of(x), our_weight = leaf_of(weight);
      const auto made =
          differentiate(rms_norm(our_x, our_weight, {1e-5, plus_one}), grad, {our_x, our_weight});
      const at::Tensor wide_x = leaf_of(x, at::kDouble), wide_weight = leaf_of(weight, at::kDouble);
      const at::Tensor out = wide_x * inverse_of(wide_x, 1e-5) * (wide_weight + (plus_one ? 1 : 0));
      const auto exact = differentiate(out, grad.to(at::kDouble), {wide_x, wide_weight});
      expect_rounded(made[0], exact[0], 1);
      expect_rounded(made[1], exact[1], std::sqrt(static_cast<double>(shape.count)));
    }
  }
}

TEST_F(RowOpsTest, DerivativesOfGatesAreRoundedOnce) {
  for (const Activation activation : {Activation::kSilu, Activation::kGelu}) {
    for (const RowsShape& shape : kShapes) {
      const at::Tensor x = random_rows({shape.count, 2 * shape.size}), grad = random_rows(shape);
      const at::Tensor ours = leaf_of(x), wide = leaf_of(x, at::kDouble);
      const auto made = differentiate(gated(ours, activation), grad, {ours});
      const at::Tensor out = activated(wide.narrow(1, 0, shape.size), activation) *
                             wide.narrow(1, shape.size, shape.size);
      expect_rounded(made[0], differentiate(out, grad.to(at::kDouble), {wide})[0], 1);
    }
  }
}

TEST_F(RowOpsTest, TheDerivativeOfARotationTurnsBack) {
  const at::Tensor x = leaf_of(random({40, 3, 34})), grad = random_heads(40, 3, 34);
  const at::Tensor angles = random({40, 1, 17}, 3).to(at::kFloat);
  const at::Tensor cos = angles.cos().to(at::kBFloat16), sin = angles.sin().to(at::kBFloat16);
  const auto made = differentiate(rotate(x, {cos, sin}), grad, {x});
  const at::NoGradGuard no_grad;
  EXPECT_TRUE(at::equal(made[0], rotate(grad, {cos, -sin})));
}

TEST_F(RowOpsTest, ThreadsChangeNothing) {
  const at::Tensor x = random({1100, 260}), weight = random({260}), grad = random({1100, 260});
  const int before = at::get_num_threads();
  std::vector<at::Tensor> results[2];
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    const at::Tensor our_x = leaf_of(x), our_weight = leaf_of(weight);
    const at::Tensor out = rms_norm(our_x, our_weight, {.eps = 1e-5});
    const at::Tensor active = gated(out, Activation::kGelu);
    auto& list = results[threads - 1];
    list = differentiate(active, grad.narrow(1, 0, 130), {our_x, our_weight});
    list.push_back(active.detach());
  }
  at::set_num_threads(before);
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    EXPECT_TRUE(at::equal(results[0][i], results[1][i])) << i;
  }
}

}  // namespace
}  // namespace redqueen
