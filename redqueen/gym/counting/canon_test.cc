#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Goes through all sets of M subsets; a subset is a mask.
std::int64_t sequences(int n, int m) {
  const std::uint32_t subsets = (std::uint32_t{1} << n) - 1;  // without the empty one
  std::int64_t orders = 1;
  for (int i = 2; i <= m; ++i) orders *= i;
  std::int64_t found = 0;
  for (std::uint32_t chosen = 0; chosen < std::uint32_t{1} << subsets; ++chosen) {
    if (std::popcount(chosen) != m) continue;
    std::uint32_t odd = 0;
    for (std::uint32_t subset = 1; subset <= subsets; ++subset) {
      if ((chosen >> (subset - 1) & 1) != 0) odd ^= subset;
    }
    found += odd == 0;
  }
  return found * orders;
}

TEST(Canon, AgreesWithAllSetsOfSubsets) {
  for (int n = 1; n <= 4; ++n) {
    for (int m = 1; m <= 8; ++m) {
      for (const int modulus : {2, 12, 1009, 999'983}) {
        const std::int64_t answer = sequences(n, m) % modulus;
        const auto problem =
            restore_problem("Canon", fmt::format(R"({{"MAX_N_M": 8, "N": {}, "M": {}, "MOD": {}, )"
                                                 R"("reference_answer": {}}})",
                                                 n, m, modulus, answer));
        ASSERT_NE(problem, nullptr) << n << " " << m;
        EXPECT_TRUE(problem->score(format_answer(answer)).solved);
      }
    }
  }
}

TEST(Canon, NeverAsksForZero) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_NE(make_problem("Canon", static_cast<int>(seed % 12), seed)->reference(), "0");
  }
}

}  // namespace
}  // namespace redqueen
