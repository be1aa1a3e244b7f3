#include "redqueen/gym/common/number/rational.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Long division in fractions.
std::string remainder(std::vector<Rational> p, const std::vector<std::int64_t>& q) {
  while (p.size() >= q.size()) {
    const Rational factor = p.back() / q.back();
    for (std::size_t i = 1; i <= q.size(); ++i) p[p.size() - i] -= factor * q[q.size() - i];
    p.pop_back();
  }
  std::string text;
  for (const Rational& c : p) text += c.str() + " ";
  text.pop_back();
  return text;
}

TEST(PolynomialRemainder, AgreesWithLongDivision) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("PolynomialRemainder", static_cast<int>(seed % 21), seed);
    const Json parameter = problem->parameter();
    const auto p = parameter["P_coeffs"].get<std::vector<std::int64_t>>();
    const auto q = parameter["Q_coeffs"].get<std::vector<std::int64_t>>();
    EXPECT_EQ(problem->reference(), remainder({p.begin(), p.end()}, q));
  }
}

TEST(PolynomialRemainder, PaysForCoefficients) {
  const auto problem = restore_problem("PolynomialRemainder",
                                       R"({"N": 2, "M": 2, "Q_coeffs": [1, 0, 1], "R_coeffs": [2],
                                           "S_coeffs": [3, -4], "P_coeffs": [5, -4, 2]})");
  EXPECT_NE(problem->prompt().find("P(x) = 2*x^2 - 4*x + 5\n"), std::string::npos);
  EXPECT_TRUE(problem->score("3 -4").solved);
  EXPECT_NEAR(problem->score("3 4").reward, std::pow(0.5, 10), 1e-12);
  EXPECT_EQ(problem->score("3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
