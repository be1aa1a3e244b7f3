#include <algorithm>
#include <limits>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

// Tries every permutation.
std::int64_t least_product(const Matrix& a, const Matrix& b) {
  std::vector<std::size_t> p(a.size());
  std::iota(p.begin(), p.end(), std::size_t{0});
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  do {
    std::int64_t of_a = 0;
    std::int64_t of_b = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      of_a += a[i][p[i]];
      of_b += b[i][p[i]];
    }
    least = std::min(least, of_a * of_b);
  } while (std::ranges::next_permutation(p).found);
  return least;
}

TEST(MinPairSumMultiplicationPermutation, AgreesWithAllPermutations) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem =
        make_problem("MinPairSumMultiplicationPermutation", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["gold_answer"],
              least_product(parameter["A"].get<Matrix>(), parameter["B"].get<Matrix>()))
        << problem->prompt();
  }
}

// Entries of very different sizes make many corners of the hull.
TEST(MinPairSumMultiplicationPermutation, AgreesOnEntriesOfAllSizes) {
  const Environment& environment = *Registry::native().find("MinPairSumMultiplicationPermutation");
  Rng rng({.purpose = hash_name("pairs of sums")});
  for (int round = 0; round < 150; ++round) {
    const int n = 2 + round % 5;
    std::array<Matrix, 2> matrices;
    for (Matrix& matrix : matrices) {
      matrix.assign(n, std::vector<std::int64_t>(n));
      for (auto& row : matrix) {
        for (std::int64_t& entry : row) entry = rng.integer(1, rng.chance(0.5) ? 10 : 10'000);
      }
    }
    const std::int64_t least = least_product(matrices[0], matrices[1]);
    Json parameter{{"N", n}, {"A", matrices[0]}, {"B", matrices[1]}, {"gold_answer", least}};
    EXPECT_TRUE(environment.restore(parameter).has_value()) << parameter.dump();
    parameter["gold_answer"] = least - 1;
    EXPECT_FALSE(environment.restore(parameter).has_value());
  }
}

TEST(MinPairSumMultiplicationPermutation, PaysByTheProduct) {
  const auto problem = restore_problem(
      "MinPairSumMultiplicationPermutation",
      R"({"N": 2, "A": [[1, 2], [2, 1]], "B": [[1, 4], [4, 1]], "gold_answer": 4})");
  EXPECT_TRUE(problem->score("0 1").solved);
  EXPECT_DOUBLE_EQ(problem->score("1 0").reward, std::pow(4.0 / 32.0, 5));
  for (const char* answer : {"", "0", "0 0", "1 2", "0 1 0"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
