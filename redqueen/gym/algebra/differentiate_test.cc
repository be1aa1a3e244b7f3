#include <cmath>

#include "redqueen/gym/common/expression/expression.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The derivative is the slope of short chords, where two chords of different length agree on it.
TEST(Differentiate, AgreesWithChords) {
  int checked = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem = make_problem("Differentiate", static_cast<int>(seed % 10), seed);
    const auto f = parse_expression(problem->parameter()["function"].get<std::string>());
    const auto slope = parse_expression(problem->reference());
    ASSERT_TRUE(f && slope);
    for (const double x : {-1.37, -0.41, 0.59, 1.73}) {
      const auto found = evaluate(*slope, std::array{x})[0];
      const auto chord = [&](double h) -> std::optional<double> {
        const auto ends = evaluate(*f, std::array{x - h, x + h});
        if (!ends[0] || !ends[1]) return std::nullopt;
        return (*ends[1] - *ends[0]) / (2 * h);
      };
      const auto wide = chord(1e-4);
      const auto narrow = chord(5e-5);
      if (!found || !wide || !narrow || std::abs(*wide - *narrow) > 1e-5 * (1 + std::abs(*narrow)))
        continue;
      EXPECT_NEAR(*found, *narrow, 1e-4 * (1 + std::abs(*narrow))) << problem->prompt();
      ++checked;
    }
  }
  EXPECT_GT(checked, 400);
}

TEST(Differentiate, AcceptsEveryFormOfARightAnswerOnly) {
  const auto problem = restore_problem(
      "Differentiate", R"json({"node_num": 5, "function": "(x + 1)**2*sin(x)"})json");
  for (const char* right :
       {"2*(x+1)*sin(x) + (x+1)^2*cos(x)", "(x + 1)*(2*sin(x) + (x + 1)*cos(x))",
        "2*x*sin(x) + 2*sin(x) + x**2*cos(x) + 2*x*cos(x) + cos(x)",
        "(x+1)**2*sin(x)*(2/(x+1) + 1/tan(x))"}) {
    EXPECT_TRUE(problem->score(right).solved) << right;
  }
  EXPECT_EQ(problem->score("2*(x+1)*sin(x) + (x+1)^2*cos(x) + 0.000001").reward, 0.0);
  EXPECT_EQ(problem->score("2*(x+1)*cos(x)").reward, 0.0);
  EXPECT_FALSE(problem->score("Derivative((x + 1)**2*sin(x), x)").well_formed);
  EXPECT_FALSE(problem->score("2(x+1)sin(x)").well_formed);
}

}  // namespace
}  // namespace redqueen
