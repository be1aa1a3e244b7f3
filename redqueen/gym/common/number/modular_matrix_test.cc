#include "redqueen/gym/common/number/modular_matrix.h"

#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(ModularMatrix, TakesPowersStepByStep) {
  Rng rng({.seed = 2, .purpose = hash_name("matrix"), .step = 0, .index = 0, .salt = 0});
  for (const std::uint32_t modulus : {1U, 2U, 10'000U, 65'521U, 65'536U}) {
    const int n = static_cast<int>(rng.integer(1, 6));
    ModularMatrix matrix(n, modulus);
    std::vector<std::vector<std::int64_t>> plain(n, std::vector<std::int64_t>(n));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        plain[i][j] = rng.integer(-100'000, 100'000);
        matrix.set(i, j, plain[i][j]);
      }
    }
    std::vector<std::uint32_t> start(n);
    start[0] = 1 % modulus;
    std::vector<std::int64_t> row(start.begin(), start.end());
    for (int exponent = 0; exponent < 20; ++exponent) {
      const std::vector<std::uint32_t> power = matrix.apply_power(start, exponent);
      EXPECT_TRUE(std::equal(row.begin(), row.end(), power.begin(), power.end())) << exponent;
      std::vector<std::int64_t> next(n);
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) next[j] += row[i] * plain[i][j];
        next[j] = (next[j] % modulus + modulus) % modulus;
      }
      row = next;
    }
  }
}

TEST(ModularMatrix, KnowsThePeriodOfFibonacciNumbers) {
  ModularMatrix step(2, 10'000);
  step.set(0, 0, 1);
  step.set(0, 1, 1);
  step.set(1, 0, 1);
  const BigInt huge = pow(BigInt(10), 100U);  // the last four digits repeat after 15 000
  EXPECT_EQ(step.apply_power({1, 0}, huge), step.apply_power({1, 0}, huge % 15'000));
}

}  // namespace
}  // namespace redqueen
