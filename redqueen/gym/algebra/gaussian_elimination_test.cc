#include "redqueen/gym/common/number/rational.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Rows = std::vector<std::vector<std::int64_t>>;
using Numbers = std::vector<std::int64_t>;

// The solution by elimination in fractions; nullopt if it is not the only one.
std::optional<Numbers> eliminated(const Rows& equations, const Numbers& results) {
  const std::size_t n = equations[0].size();
  std::vector<std::vector<Rational>> rows;
  for (std::size_t m = 0; m < equations.size(); ++m) {
    rows.emplace_back(equations[m].begin(), equations[m].end());
    rows.back().emplace_back(results[m]);
  }
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot == rows.size()) return std::nullopt;
    std::swap(rows[column], rows[pivot]);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r == column || rows[r][column] == 0) continue;
      const Rational factor = rows[r][column] / rows[column][column];
      for (std::size_t c = column; c <= n; ++c) rows[r][c] -= factor * rows[column][c];
    }
  }
  Numbers solution;
  for (std::size_t i = 0; i < n; ++i) {
    solution.push_back(Rational(rows[i][n] / rows[i][i]).convert_to<std::int64_t>());
  }
  return solution;
}

TEST(GaussianElimination, IsSolvedByElimination) {
  int unique = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("GaussianElimination", static_cast<int>(seed % 9), seed);
    const Json parameter = problem->parameter();
    const auto solution =
        eliminated(parameter["equations"].get<Rows>(), parameter["results"].get<Numbers>());
    if (!solution) continue;
    ++unique;
    EXPECT_EQ(problem->reference(), format_answer(*solution));
  }
  EXPECT_GT(unique, 40);
}

TEST(GaussianElimination, AcceptsEverySolutionAndPaysForEquations) {
  const auto problem =
      restore_problem("GaussianElimination",
                      R"({"N": 2, "M": 2, "x": [1, 2], "equations": [[1, 1], [2, 2]],
                                           "results": [3, 6]})");
  EXPECT_TRUE(problem->score("1 2").solved);
  EXPECT_TRUE(problem->score("100000000000000000000003 -100000000000000000000000").solved);
  EXPECT_FALSE(problem->score("9999999999999999999999999 -9999999999999999999999999").solved);
  EXPECT_EQ(problem->score("1 2 3").reward, kMalformedReward);
  const auto other = restore_problem("GaussianElimination",
                                     R"({"N": 2, "M": 2, "x": [1, 2], "equations": [[1, 1], [1, 0]],
                                         "results": [3, 1]})");
  EXPECT_NEAR(other->score("1 3").reward, std::pow(0.5, 10), 1e-12);
}

}  // namespace
}  // namespace redqueen
