#include <cmath>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// In 128-bit arithmetic, good for the degrees used here.
__extension__ using Quad = __float128;

Quad value_at(const std::vector<double>& coefficients, Quad x) {
  Quad value = 0;
  for (std::size_t i = coefficients.size(); i > 0; --i) value = value * x + coefficients[i - 1];
  return value;
}

// The least value on ever finer grids around the best point so far.
double minimiser_by_grids(const std::vector<double>& coefficients) {
  Quad centre = 0;
  for (Quad step = 0.1; step > 1e-12; step /= 8) {
    Quad best = centre;
    for (int i = -25; i <= 25; ++i) {
      const Quad x = centre + i * step;
      if (value_at(coefficients, x) < value_at(coefficients, best)) best = x;
    }
    centre = best;
  }
  return static_cast<double>(centre);
}

std::vector<double> coefficients_of(const Problem& problem) {
  return problem.parameter()["coeffs"].get<std::vector<double>>();
}

TEST(PolynomialMinimum, AgreesWithASearchOnGrids) {
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    const auto problem = make_problem("PolynomialMinimum", static_cast<int>(seed % 8), seed);
    EXPECT_NEAR(*parse_real(problem->reference()), minimiser_by_grids(coefficients_of(*problem)),
                1e-8);
  }
}

TEST(PolynomialMinimum, PaysForTheShareOfTheDrop) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("PolynomialMinimum", static_cast<int>(seed % 8), seed);
    const std::vector<double> coefficients = coefficients_of(*problem);
    const Quad worst = coefficients[0];
    const Quad drop = worst - value_at(coefficients, *parse_real(problem->reference()));
    for (double x = -2.5; x < 2.5; x += 0.11) {
      const double share = static_cast<double>((worst - value_at(coefficients, x)) / drop);
      const Verdict verdict = problem->score(format_answer(x));
      EXPECT_NEAR(verdict.reward, share > 0 ? 0.95 * std::pow(share, 5) : 0.0, 1e-9);
      EXPECT_EQ(verdict.solved, share >= 0.999);
    }
  }
}

TEST(PolynomialMinimum, RefusesAReferenceThatIsNotTheMinimum) {
  const Environment& environment = *Registry::native().find("PolynomialMinimum");
  EXPECT_TRUE(environment.restore(
      *parse_json(R"({"N": 2, "coeffs": [4, 4, 1], "reference_answer": -2.0})")));
  EXPECT_FALSE(environment.restore(
      *parse_json(R"({"N": 2, "coeffs": [4, 4, 1], "reference_answer": -1.99})")));
  EXPECT_FALSE(environment.restore(
      *parse_json(R"({"N": 2, "coeffs": [4, 4, -1], "reference_answer": -2.0})")));
}

TEST(PolynomialMinimum, TakesNumbersOfAnySize) {
  const auto problem = restore_problem(
      "PolynomialMinimum", R"({"N": 2, "coeffs": [4, 4, 1], "reference_answer": -2.0})");
  EXPECT_TRUE(problem->score("-2").solved);
  EXPECT_TRUE(problem->score("-2.0e0").solved);
  for (const char* far : {"1e300", "-1e300", "1e9", "-1073741824", "1e-300", "-1e-300"}) {
    EXPECT_EQ(problem->score(far).reward, 0.0) << far;
  }
  EXPECT_FALSE(problem->score("-4/2").well_formed);
}

}  // namespace
}  // namespace redqueen
