#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Comparisons = std::vector<std::tuple<int, std::string, int>>;

// Tries every permutation.
std::int64_t permutations(int n, const Comparisons& comparisons) {
  std::vector<int> p(static_cast<std::size_t>(n));
  std::iota(p.begin(), p.end(), 0);
  std::int64_t count = 0;
  do {
    count += std::ranges::all_of(comparisons, [&](const auto& comparison) {
      const auto& [u, sign, v] = comparison;
      return sign == "<" ? p[u] < p[v] : p[u] > p[v];
    });
  } while (std::ranges::next_permutation(p).found);
  return count;
}

TEST(TreeTopologicalSequenceCounting, AgreesWithAllPermutations) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem =
        make_problem("TreeTopologicalSequenceCounting", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(
                  permutations(parameter["N"].get<int>(), parameter["edges"].get<Comparisons>()) %
                  parameter["MOD"].get<std::int64_t>()));
  }
}

TEST(TreeTopologicalSequenceCounting, KeepsToModuliThatShareFactorsWithTheCount) {
  for (const int modulus : {1, 2, 3, 4, 24}) {
    // A star with the least entry in the middle: 4! permutations.
    EXPECT_NE(restore_problem("TreeTopologicalSequenceCounting",
                              fmt::format(R"({{"N": 5, "MOD": {}, "edges": [[0, "<", 1],
                                [0, "<", 2], [3, ">", 0], [0, "<", 4]], "reference_answer": {}}})",
                                          modulus, 24 % modulus)),
              nullptr);
  }
}

}  // namespace
}  // namespace redqueen
