#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// How many of the strings of n characters have so many ones, by trying all.
std::vector<std::int64_t> strings_by_ones(int n) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(n) + 1);
  for (std::uint32_t string = 0; string < std::uint32_t{1} << n; ++string) {
    ++counts[std::popcount(string)];
  }
  return counts;
}

TEST(PairMoreOneCounting, AgreesWithAllPairs) {
  for (int m = 1; m <= 9; ++m) {
    for (int delta = 0; delta <= 6; ++delta) {
      const auto first = strings_by_ones(m + delta);
      const auto second = strings_by_ones(m);
      std::int64_t pairs = 0;
      for (std::size_t a = 0; a < first.size(); ++a) {
        for (std::size_t b = 0; b < second.size() && b < a; ++b) pairs += first[a] * second[b];
      }
      for (int k = 1, modulus = 10; k <= 5; ++k, modulus *= 10) {
        EXPECT_NE(restore_problem("PairMoreOneCounting",
                                  fmt::format(R"({{"MAX_M": 9, "MAX_delta": 6, "M": {}, )"
                                              R"("delta": {}, "K": {}, "reference_answer": {}}})",
                                              m, delta, k, pairs % modulus)),
                  nullptr);
      }
    }
  }
}

// Exact integers and the double sum over the numbers of ones.
TEST(PairMoreOneCounting, AgreesWithExactSums) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = make_problem("PairMoreOneCounting", 3, seed);
    const Json parameter = problem->parameter();
    const auto m = parameter["M"].get<std::int64_t>();
    const auto n = m + parameter["delta"].get<std::int64_t>();
    BigInt first = 1;  // strings of S with a ones
    BigInt pairs = 0;
    for (std::int64_t a = 0; a <= n; ++a) {
      BigInt second = 1;
      for (std::int64_t b = 0; b < a && b <= m; ++b) {
        pairs += first * second;
        second = second * (m - b) / (b + 1);
      }
      first = first * (n - a) / (a + 1);
    }
    BigInt modulus = 1;
    for (int i = 0; i < parameter["K"].get<int>(); ++i) modulus *= 10;
    EXPECT_EQ(problem->reference(), BigInt(pairs % modulus).str());
  }
}

}  // namespace
}  // namespace redqueen
