#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

constexpr const char* kName = "BoundedAdjacencyDifference_Permutation_Counting";
using Pairs = std::vector<std::pair<int, int>>;

std::int64_t permutations(int n, int k, const Pairs& forbidden) {
  std::vector<int> permutation(static_cast<std::size_t>(n));
  std::iota(permutation.begin(), permutation.end(), 1);
  std::int64_t found = 0;
  do {
    bool allowed = true;
    for (int i = 0; i + 1 < n && allowed; ++i) {
      const auto pair = std::minmax(permutation[i], permutation[i + 1]);
      allowed = pair.second - pair.first <= k &&
                std::ranges::find(forbidden, std::pair<int, int>(pair)) == forbidden.end();
    }
    found += allowed;
  } while (std::ranges::next_permutation(permutation).found);
  return found;
}

TEST(BoundedAdjacencyDifference_Permutation_Counting, AgreesWithAllPermutations) {
  for (int n = 1; n <= 8; ++n) {
    for (int k = 1; k <= 5; ++k) {
      EXPECT_NE(restore_problem(
                    kName, dump_json(Json{
                               {"N", n}, {"K", k}, {"reference_answer", permutations(n, k, {})}})),
                nullptr)
          << n << " " << k;
    }
  }
}

TEST(BoundedAdjacencyDifference_Permutation_Counting, LeavesOutForbiddenPairs) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem(kName, static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(permutations(parameter["N"].get<int>(), parameter["K"].get<int>(),
                                         parameter["forbidden"].get<Pairs>())))
        << problem->prompt();
  }
}

// With K = 1 only the two monotonous permutations are left, and none if a link is forbidden.
TEST(BoundedAdjacencyDifference_Permutation_Counting, KnowsLongPermutations) {
  EXPECT_NE(restore_problem(kName, R"({"N": 100, "K": 1, "reference_answer": 2})"), nullptr);
  EXPECT_NE(restore_problem(
                kName, R"({"N": 100, "K": 1, "forbidden": [[40, 41]], "reference_answer": 0})"),
            nullptr);
}

}  // namespace
}  // namespace redqueen
