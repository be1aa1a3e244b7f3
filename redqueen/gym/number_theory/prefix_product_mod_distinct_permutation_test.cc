#include <algorithm>
#include <numeric>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

ProblemPtr problem_of(int n) {
  return restore_problem("PrefixProductMODDistinctPermutation",
                         fmt::format(R"({{"MAX_N": {0}, "N": {0}}})", n));
}

bool has_solution_by_search(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 1);
  do {
    std::set<int> residues;
    int product = 1;
    for (const int number : order) residues.insert((product *= number) % n);
    if (static_cast<int>(residues.size()) == n) return true;
  } while (std::ranges::next_permutation(order).found);
  return false;
}

// The sizes that check() takes are just those with a solution.
TEST(PrefixProductMODDistinctPermutation, TakesTheSizesWithASolution) {
  const Environment* environment = Registry::native().find("PrefixProductMODDistinctPermutation");
  for (int n = 2; n <= 8; ++n) {
    const Json parameter{{"MAX_N", n}, {"N", n}};
    EXPECT_EQ(environment->restore(parameter).has_value(), has_solution_by_search(n)) << n;
  }
}

TEST(PrefixProductMODDistinctPermutation, ScoresEveryPermutation) {
  for (const int n : {2, 3, 4, 5}) {
    const auto problem = problem_of(n);
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 1);
    do {
      std::set<int> residues;
      int product = 1;
      for (const int number : order) residues.insert((product *= number) % n);
      const double share = static_cast<double>(residues.size()) / n;
      EXPECT_NEAR(problem->score(format_answer(order)).reward, std::pow(share, 10), 1e-12);
    } while (std::ranges::next_permutation(order).found);
  }
}

TEST(PrefixProductMODDistinctPermutation, SolvesEveryPrime) {
  for (const int n : {2, 3, 4, 5, 7, 101, 997, 7919}) {
    EXPECT_TRUE(problem_of(n)->score(problem_of(n)->reference()).solved) << n;
  }
}

}  // namespace
}  // namespace redqueen
