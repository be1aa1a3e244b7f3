#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

std::vector<int> members(unsigned set) {
  std::vector<int> places;
  for (int i = 0; i < 32; ++i) {
    if ((set >> i & 1) != 0) places.push_back(i);
  }
  return places;
}

std::int64_t least_of_all(const Matrix& matrix, int rows, int columns) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (unsigned r = 0; r < 1u << matrix.size(); ++r) {
    if (std::popcount(r) != rows) continue;
    for (unsigned c = 0; c < 1u << matrix[0].size(); ++c) {
      if (std::popcount(c) != columns) continue;
      Matrix part;
      for (const int i : members(r)) {
        auto& row = part.emplace_back();
        for (const int j : members(c)) row.push_back(matrix[i][j]);
      }
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < part.size(); ++i) {
        for (std::size_t j = 0; j + 1 < part[i].size(); ++j) {
          sum += std::abs(part[i][j] - part[i][j + 1]);
        }
      }
      for (std::size_t i = 0; i + 1 < part.size(); ++i) {
        for (std::size_t j = 0; j < part[i].size(); ++j) {
          sum += std::abs(part[i][j] - part[i + 1][j]);
        }
      }
      least = std::min(least, sum);
    }
  }
  return least;
}

TEST(MinimumSumDifferenceSubmatrix, AgreesWithAllChoices) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem =
        make_problem("MinimumSumDifferenceSubmatrix", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["gold_answer"],
              least_of_all(parameter["matrix"].get<Matrix>(), parameter["R"].get<int>(),
                           parameter["C"].get<int>()))
        << problem->prompt();
  }
}

TEST(MinimumSumDifferenceSubmatrix, JudgesLengthsBeforePlaces) {
  const auto problem = restore_problem(
      "MinimumSumDifferenceSubmatrix",
      R"({"N": 3, "M": 2, "R": 2, "C": 2, "matrix": [[1, 2], [9, 9], [1, 4]], "gold_answer": 6})");
  EXPECT_TRUE(problem->score("0 2\n0 1").solved);
  EXPECT_NEAR(problem->score("0 1\n0 1").reward, std::pow(6.0 / 16.0, 5), 1e-12);
  EXPECT_EQ(problem->score("2 0\n0 1").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("0 1 2\n0 1").well_formed);
  EXPECT_FALSE(problem->score("0 2 0 1").well_formed);
}

}  // namespace
}  // namespace redqueen
