#include "redqueen/model/product.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "redqueen/base/rng.h"
#include "redqueen/model/cpu/bfloat16.h"

namespace redqueen {
namespace {

// rows, in, out: around the kernel's steps of 16 and 32 numbers, its strips of four rows, and the
// number of rows up to which it is used.
struct Shape {
  std::int64_t rows, in, out;
};

class ProductTest : public testing::TestWithParam<at::ScalarType> {
 protected:
  at::Tensor random(at::IntArrayRef shape) {
    at::Tensor result = at::empty(shape, at::kFloat);
    for (std::int64_t i = 0; i < result.numel(); ++i) {
      result.mutable_data_ptr<float>()[i] = static_cast<float>(rng_.normal());
    }
    return result.to(GetParam());
  }

  // Against sums of doubles. `terms`: how many a sum has.
  static void expect_near(const at::Tensor& made, const at::Tensor& exact, std::int64_t terms) {
    ASSERT_EQ(made.sizes(), exact.sizes());
    const bool wide = GetParam() == at::kFloat;
    const double rounding = wide ? 1e-6 * static_cast<double>(terms) : 0.004;  // bfloat16: 2^−8
    const at::Tensor error = (made.to(at::kDouble) - exact).abs();
    EXPECT_LT((error / (1 + exact.abs())).max().item<double>(), rounding);
  }

  Rng rng_{RandomAddress{.seed = 5}};
};

TEST_P(ProductTest, EqualsSumsOfDoubles) {
  const at::NoGradGuard no_grad;
  for (const auto& [rows, in, out] :
       {Shape{1, 1, 1}, Shape{1, 15, 7}, Shape{1, 64, 4}, Shape{2, 33, 5}, Shape{3, 100, 9},
        Shape{4, 16, 8}, Shape{5, 31, 3}, Shape{7, 257, 13}, Shape{16, 96, 70}, Shape{17, 96, 6},
        Shape{24, 48, 21}, Shape{25, 48, 21}, Shape{64, 48, 21}, Shape{65, 48, 21}}) {
    SCOPED_TRACE(testing::Message() << rows << " × " << in << " × " << out);
    const at::Tensor x = random({rows, in}), matrix = random({out, in});
    const at::Tensor bias = random({out}), residual = random({rows, out});
    const at::Tensor exact = x.to(at::kDouble).mm(matrix.to(at::kDouble).t());
    expect_near(product(x, matrix), exact, in);
    expect_near(product(x, matrix, bias), exact + bias.to(at::kDouble), in + 1);
    expect_near(product(x, matrix, residual), exact + residual.to(at::kDouble), in + 1);
  }
}

TEST_P(ProductTest, TakesRowsThatAreNotDense) {
  const at::NoGradGuard no_grad;
  const at::Tensor x = random({40, 6}).t(), matrix = random({9, 40});
  expect_near(product(x, matrix), x.to(at::kDouble).mm(matrix.to(at::kDouble).t()), 40);
}

// A response must not depend on what is sampled beside it.
TEST_P(ProductTest, ARowIsTheSameWhateverStandsBesideIt) {
  const at::NoGradGuard no_grad;
  if (GetParam() == at::kBFloat16 && has_bfloat16_units()) {
    GTEST_SKIP() << "libtorch multiplies here, which promises nothing of the kind";
  }
  const at::Tensor x = random({700, 383}), matrix = random({90, 383}), bias = random({90});
  const at::Tensor together = product(x, matrix, bias);
  for (const std::int64_t count : {1, 2, 3, 4, 5, 6, 7, 8, 9, 23, 24, 25, 64, 500}) {
    const at::Tensor some = product(x.narrow(0, 3, count), matrix, bias);
    EXPECT_TRUE(at::equal(some, together.narrow(0, 3, count))) << count;
  }
}

TEST_P(ProductTest, WhatIsNotANumberStaysSo) {
  const at::NoGradGuard no_grad;
  const at::Tensor x = random({2, 40}), matrix = random({6, 40});
  x[1][39].fill_(std::numeric_limits<double>::quiet_NaN());
  const at::Tensor y = product(x, matrix);
  EXPECT_FALSE(y[0].isnan().any().item<bool>());
  EXPECT_TRUE(y[1].isnan().all().item<bool>());
}

INSTANTIATE_TEST_SUITE_P(Types, ProductTest, testing::Values(at::kFloat, at::kBFloat16),
                         [](const auto& type) { return std::string(c10::toString(type.param)); });

TEST(Bfloat16, RoundsAsLibtorchDoes) {
  std::vector<float> numbers;
  for (std::uint32_t upper = 0; upper < 65536; ++upper) {
    for (const std::uint32_t lower : {0x0000U, 0x0001U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
      numbers.push_back(std::bit_cast<float>(upper << 16 | lower));
    }
  }
  const auto count = static_cast<std::int64_t>(numbers.size());
  const at::Tensor theirs = at::from_blob(numbers.data(), {count}, at::kFloat).to(at::kBFloat16);
  const at::Tensor widened = theirs.to(at::kFloat);
  const auto* back = widened.const_data_ptr<float>();
  const auto* bits = static_cast<const Bfloat16*>(theirs.const_data_ptr());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Bfloat16 ours = 0;
    narrow(numbers[i], ours);
    if (std::isnan(numbers[i])) {
      ASSERT_TRUE(std::isnan(widen(ours)));
    } else {
      ASSERT_EQ(ours, bits[i]) << numbers[i];
      ASSERT_EQ(widen(ours), back[i]);
    }
  }
}

}  // namespace
}  // namespace redqueen
