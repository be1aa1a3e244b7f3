#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The process itself; a + b stays the same, so it ends or comes back to a pair that it has seen.
int steps(int a, int b) {
  std::set<std::pair<int, int>> seen;
  int count = 0;
  for (; a != b; ++count) {
    if (!seen.emplace(a, b).second) return 0;
    std::tie(a, b) = a > b ? std::pair(a - b, 2 * b) : std::pair(2 * a, b - a);
  }
  return count;
}

TEST(SumPseudoEuclidean, AgreesWithTheProcess) {
  int sum = 0;
  for (int n = 1; n <= 70; ++n) {
    for (int i = 1; i < n; ++i) sum += steps(i, n) + steps(n, i);
    const auto problem =
        restore_problem("SumPseudoEuclidean", fmt::format(R"({{"MAX_N": 70, "N": {}}})", n));
    EXPECT_EQ(problem->reference(), format_answer(sum));
  }
}

TEST(SumPseudoEuclidean, AllowsZeroWhereNothingEnds) {
  const auto problem = restore_problem("SumPseudoEuclidean", R"({"MAX_N": 5, "N": 2})");
  EXPECT_TRUE(problem->score("0").solved);
  EXPECT_FALSE(problem->score("-1").well_formed);
}

}  // namespace
}  // namespace redqueen
