#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Roots by trying every candidate, and dividing it out as often as it divides.
std::vector<std::int64_t> roots_by_division(std::vector<BigInt> coefficients, std::int64_t bound) {
  std::vector<std::int64_t> roots;
  for (std::int64_t root = -bound; root <= bound; ++root) {
    for (;;) {
      std::vector<BigInt> quotient(coefficients.size() - 1);
      BigInt carry = 0;
      for (std::size_t i = coefficients.size(); i-- > 1;) {
        carry = carry * root + coefficients[i];
        quotient[i - 1] = carry;
      }
      if (carry * root + coefficients[0] != 0 || coefficients.size() == 1) break;
      roots.push_back(root);
      coefficients = quotient;
    }
  }
  return roots;
}

TEST(PolynomialFactorization, AgreesWithTrialDivision) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("PolynomialFactorization", static_cast<int>(seed % 21), seed);
    const Json parameter = problem->parameter();
    std::vector<BigInt> coefficients;
    for (const Json& c : parameter["coefficients"]) {
      std::string_view digits;
      coefficients.emplace_back(is_big_int(c, digits) ? BigInt(std::string(digits))
                                                      : BigInt(c.get<std::int64_t>()));
    }
    const auto roots = roots_by_division(coefficients, parameter["N"].get<std::int64_t>());
    EXPECT_TRUE(problem->score(format_answer(roots)).solved) << problem->prompt();
  }
}

TEST(PolynomialFactorization, CountsRootsWithMultiplicity) {
  const auto problem =
      restore_problem("PolynomialFactorization",
                      R"({"N": 3, "gold_answer": [1, 1, -2], "coefficients": [2, -3, 0, 1]})");
  EXPECT_NE(problem->prompt().find("x^3 - 3*x + 2\n"), std::string::npos);
  EXPECT_TRUE(problem->score("-2 1 1").solved);
  EXPECT_NEAR(problem->score("-2 -2 1").reward, std::pow(2.0 / 3.0, 5), 1e-12);
  EXPECT_EQ(problem->score("1 -2").reward, kMalformedReward);
  EXPECT_FALSE(Registry::native()
                   .find("PolynomialFactorization")
                   ->restore(*parse_json(R"({"N": 1, "gold_answer": [1], "coefficients": [2, 1]})"))
                   .has_value());
}

}  // namespace
}  // namespace redqueen
