#include <algorithm>
#include <cmath>
#include <numeric>

#include "redqueen/gym/common/number/rational.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

Rational quotient(const Matrix& a, const Matrix& b, const std::vector<std::int64_t>& columns) {
  std::int64_t above = 0;
  std::int64_t below = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    above += a[i][columns[i]];
    below += b[i][columns[i]];
  }
  return Rational(above, below);
}

TEST(FractionalProgrammingBipartiteGraphMatching, AgreesWithAllPermutations) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("FractionalProgramming_BipartiteGraphMatching",
                                      static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<Matrix>();
    const auto b = parameter["B"].get<Matrix>();
    std::vector<std::int64_t> columns(a.size());
    std::iota(columns.begin(), columns.end(), 0);
    Rational best = 0;
    do {
      best = std::max(best, quotient(a, b, columns));
    } while (std::next_permutation(columns.begin(), columns.end()));
    EXPECT_EQ(quotient(a, b, *parse_int_list(problem->reference())), best);
    EXPECT_EQ(Rational(parameter["gold_SumA"].get<std::int64_t>(),
                       parameter["gold_SumB"].get<std::int64_t>()),
              best);
  }
}

TEST(FractionalProgrammingBipartiteGraphMatching, PaysByQuotient) {
  const auto problem = restore_problem(
      "FractionalProgramming_BipartiteGraphMatching",
      R"({"N": 2, "A": [[3, 4], [1, 2]], "B": [[2, 2], [1, 3]], "reference_answer": "1 0",
          "gold_SumA": 5, "gold_SumB": 3})");
  EXPECT_EQ(problem->score("1 0").reward, 1.0);
  EXPECT_NEAR(problem->score("0 1").reward, std::pow(0.6, 5), 1e-12);
  EXPECT_EQ(problem->score("0 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
