#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Writes every sequence down.
BigInt sum_of_products(int left, int largest, std::uint32_t used) {
  if (left == 0) return 1;
  BigInt sum = 0;
  for (int x = 1; x <= largest; ++x) {
    if ((used >> x & 1) == 1) continue;
    sum += x * sum_of_products(left - 1, largest, used | std::uint32_t{1} << x);
  }
  return sum;
}

void expect_sum(std::int64_t n, std::int64_t k, const BigInt& right) {
  for (const int prime : {666'623'333, 998'244'353, 1'000'000'007}) {
    EXPECT_NE(restore_problem("SumSetMultiplication",
                              fmt::format(R"({{"MAX_N": 9, "MAX_K": 9, "N": {}, "K": {}, )"
                                          R"("MOD": {}, "reference_answer": {}}})",
                                          n, k, prime, BigInt(right % prime).str())),
              nullptr);
  }
}

TEST(SumSetMultiplication, AgreesWithAllSequences) {
  for (int k = 1; k <= 8; ++k) {
    for (int n = 1; n <= k + 1; ++n) expect_sum(n, k, sum_of_products(n, k, 0));
  }
}

// Numbers are added one by one to sums over sets, exactly.
TEST(SumSetMultiplication, AgreesWithSumsOverSets) {
  constexpr int kMost = 40;
  std::vector<BigInt> sums(kMost + 1);
  sums[0] = 1;
  for (int k = 1; k <= 300; ++k) {
    for (int n = kMost; n >= 1; --n) sums[n] += k * sums[n - 1];
    if (k % 60 != 0) continue;
    BigInt orders = 1;
    for (int n = 1; n <= kMost; ++n) {
      orders *= n;
      if (n % 13 == 1) expect_sum(n, k, BigInt(orders * sums[n]));
    }
  }
}

}  // namespace
}  // namespace redqueen
