#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Sorts by exchanges of neighbours and counts them.
int bubble_exchanges(std::vector<int> permutation) {
  int exchanges = 0;
  for (std::size_t round = 0; round < permutation.size(); ++round) {
    for (std::size_t i = 0; i + 1 < permutation.size(); ++i) {
      if (permutation[i] <= permutation[i + 1]) continue;
      std::swap(permutation[i], permutation[i + 1]);
      ++exchanges;
    }
  }
  return exchanges;
}

bool needs_least(const std::vector<int>& permutation) {
  int distance = 0;
  for (std::size_t i = 0; i < permutation.size(); ++i)
    distance += std::abs(static_cast<int>(i) + 1 - permutation[i]);
  return 2 * bubble_exchanges(permutation) == distance;
}

// Every permutation of up to six elements, against all that come after it.
TEST(BubbleSwapLowerBound_PermutationCounting, AgreesWithAllPermutations) {
  for (int n = 1; n <= 6; ++n) {
    std::vector<int> permutation(static_cast<std::size_t>(n));
    std::iota(permutation.rbegin(), permutation.rend(), 1);
    std::int64_t later = 0;
    do {  // from the last to the first
      const auto problem = restore_problem("BubbleSwapLowerBound_PermutationCounting",
                                           dump_json(Json{{"N", n}, {"P", permutation}}));
      EXPECT_EQ(problem->reference(), format_answer(later)) << testing::PrintToString(permutation);
      later += needs_least(permutation);
    } while (std::ranges::prev_permutation(permutation).found);
  }
}

TEST(BubbleSwapLowerBound_PermutationCounting, CountsExactlyWhereDoublesDoNot) {
  std::vector<int> identity(40);
  std::iota(identity.begin(), identity.end(), 1);
  const auto problem = restore_problem("BubbleSwapLowerBound_PermutationCounting",
                                       dump_json(Json{{"N", 40}, {"P", identity}}));
  // The 40th Catalan number, less the identity itself.
  BigInt catalan = 1;
  for (int k = 2; k <= 40; ++k) catalan = catalan * (40 + k) / k;
  const BigInt count = catalan - 1;
  EXPECT_EQ(problem->reference(), count.str());
  EXPECT_FALSE(problem->score(catalan.str()).solved);
}

TEST(BubbleSwapLowerBound_PermutationCounting, LeavesSomethingToCount) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_NE(
        make_problem("BubbleSwapLowerBound_PermutationCounting", static_cast<int>(seed % 10), seed)
            ->reference(),
        "0");
  }
}

}  // namespace
}  // namespace redqueen
