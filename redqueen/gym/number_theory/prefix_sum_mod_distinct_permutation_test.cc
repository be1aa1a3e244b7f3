#include <algorithm>
#include <numeric>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

ProblemPtr problem_of(int n) {
  return restore_problem("PrefixSumMODDistinctPermutation",
                         fmt::format(R"({{"MAX_N": {0}, "N": {0}}})", n));
}

TEST(PrefixSumMODDistinctPermutation, ScoresEveryPermutation) {
  for (const int n : {2, 4, 6}) {
    const auto problem = problem_of(n);
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 1);
    int solutions = 0;
    do {
      std::set<int> residues;
      int sum = 0;
      for (const int number : order) residues.insert((sum += number) % n);
      const double share = static_cast<double>(residues.size()) / n;
      EXPECT_NEAR(problem->score(format_answer(order)).reward, std::pow(share, 10), 1e-12);
      solutions += problem->score(format_answer(order)).solved;
    } while (std::ranges::next_permutation(order).found);
    EXPECT_GT(solutions, 0);
  }
}

TEST(PrefixSumMODDistinctPermutation, SolvesEveryEvenSize) {
  for (int n = 2; n <= 300; n += 2) {
    EXPECT_TRUE(problem_of(n)->score(problem_of(n)->reference()).solved) << n;
  }
}

}  // namespace
}  // namespace redqueen
