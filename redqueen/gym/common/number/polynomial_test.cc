#include "redqueen/gym/common/number/polynomial.h"

#include <gtest/gtest.h>

#include "redqueen/base/big_int.h"
#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

using Coefficients = std::vector<std::int64_t>;

TEST(Polynomial, ReadsAsMathematics) {
  EXPECT_EQ(polynomial_text(Coefficients{5, -1, 3}), "3*x^2 - x + 5");
  EXPECT_EQ(polynomial_text(Coefficients{-1, 1, 0, -1}), "-x^3 + x - 1");
  EXPECT_EQ(polynomial_text(Coefficients{0, 0}), "0");
  EXPECT_EQ(polynomial_text(std::vector<BigInt>{BigInt("-100000000000000000000"), 1}),
            "x - 100000000000000000000");
}

// A product takes at every point the product of the values.
TEST(Polynomial, MultipliesAsFunctionsDo) {
  Rng rng({.seed = 1, .purpose = hash_name("polynomial"), .step = 0, .index = 0, .salt = 0});
  for (int round = 0; round < 200; ++round) {
    Coefficients a, b, roots;
    for (std::int64_t n = rng.integer(1, 5); n > 0; --n) a.push_back(rng.integer(-9, 9));
    for (std::int64_t n = rng.integer(1, 5); n > 0; --n) b.push_back(rng.integer(-9, 9));
    for (std::int64_t n = rng.integer(0, 5); n > 0; --n) roots.push_back(rng.integer(-9, 9));
    for (std::int64_t x = -6; x <= 6; ++x) {
      EXPECT_EQ(evaluate_polynomial(multiply_polynomials(a, b), x),
                evaluate_polynomial(a, x) * evaluate_polynomial(b, x));
      std::int64_t product = 1;
      for (const std::int64_t root : roots) product *= x - root;
      EXPECT_EQ(evaluate_polynomial(polynomial_with_roots(roots), x), product);
    }
  }
}

}  // namespace
}  // namespace redqueen
