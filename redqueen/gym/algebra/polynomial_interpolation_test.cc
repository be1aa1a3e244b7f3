#include "redqueen/gym/common/number/rational.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Lagrange's formula, expanded in exact fractions.
std::string interpolated(const std::vector<std::int64_t>& xs, const std::vector<BigInt>& ys) {
  std::vector<Rational> total(xs.size(), 0);
  for (std::size_t k = 0; k < xs.size(); ++k) {
    std::vector<Rational> basis{Rational(ys[k])};
    for (std::size_t j = 0; j < xs.size(); ++j) {
      if (j == k) continue;
      basis.insert(basis.begin(), 0);
      const Rational scale = Rational(1) / (xs[k] - xs[j]);
      for (std::size_t i = 0; i + 1 < basis.size(); ++i) basis[i] -= basis[i + 1] * xs[j];
      for (Rational& c : basis) c *= scale;
    }
    for (std::size_t i = 0; i < xs.size(); ++i) total[i] += basis[i];
  }
  std::string text;
  for (const Rational& c : total) text += c.str() + " ";
  text.pop_back();
  return text;
}

TEST(PolynomialInterpolation, AgreesWithLagrange) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("PolynomialInterpolation", static_cast<int>(seed % 15), seed);
    const Json parameter = problem->parameter();
    std::vector<BigInt> ys;
    for (const Json& y : parameter["Y"]) {
      std::string_view digits;
      ys.emplace_back(is_big_int(y, digits) ? BigInt(std::string(digits))
                                            : BigInt(y.get<std::int64_t>()));
    }
    const auto xs = parameter["X"].get<std::vector<std::int64_t>>();
    EXPECT_EQ(std::ranges::count(xs, 0), 0);
    EXPECT_EQ(problem->reference(), interpolated(xs, ys));
  }
}

TEST(PolynomialInterpolation, PaysForCoefficients) {
  const auto problem = restore_problem("PolynomialInterpolation",
                                       R"({"N": 1, "coeffs": [1, 2], "X": [1, 2], "Y": [3, 5]})");
  EXPECT_TRUE(problem->score("1 2").solved);
  EXPECT_NEAR(problem->score("1 3").reward, std::pow(0.5, 10), 1e-12);
  EXPECT_EQ(problem->score("2 1").reward, 0.0);
  EXPECT_EQ(problem->score("1 2 0").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
