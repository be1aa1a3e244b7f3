#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

bool has_three_descending(const std::vector<int>& p) {
  for (std::size_t a = 0; a < p.size(); ++a) {
    for (std::size_t b = a + 1; b < p.size(); ++b) {
      for (std::size_t c = b + 1; c < p.size(); ++c) {
        if (p[a] > p[b] && p[b] > p[c]) return true;
      }
    }
  }
  return false;
}

TEST(LDSTwo_Counting, AgreesWithAllPermutations) {
  for (int n = 1; n <= 7; ++n) {
    std::vector<std::vector<int>> counts(static_cast<std::size_t>(n) + 1,
                                         std::vector<int>(static_cast<std::size_t>(n) + 1));
    std::vector<int> p(static_cast<std::size_t>(n));
    std::iota(p.begin(), p.end(), 1);
    do {
      if (has_three_descending(p)) continue;
      for (int x = 1; x <= n; ++x) ++counts[x][p[x - 1]];
    } while (std::ranges::next_permutation(p).found);
    for (int x = 1; x <= n; ++x) {
      for (int y = 1; y <= n; ++y) {
        const auto problem =
            restore_problem("LDSTwo_Counting",
                            fmt::format(R"({{"N": {}, "X": {}, "Y": {}, "reference_answer": {}}})",
                                        n, x, y, counts[x][y]));
        EXPECT_NE(problem, nullptr);
      }
    }
  }
}

TEST(LDSTwo_Counting, TellsLargeCountsFromTheirNeighbours) {
  const auto problem = make_problem("LDSTwo_Counting", 20, 1);
  const BigInt beside = BigInt(problem->reference()) + 1;
  EXPECT_FALSE(problem->score(beside.str()).solved);
  EXPECT_GT(problem->score(beside.str()).reward, 0.99);
}

}  // namespace
}  // namespace redqueen
