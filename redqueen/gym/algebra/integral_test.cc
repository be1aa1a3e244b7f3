#include <cmath>

#include "redqueen/gym/common/expression/expression.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Between two points the hidden function rises by the integral of the derivative shown: Simpson's
// rule with 2000 intervals, where the function has a value all the way.
TEST(Integral, ShowsTheSlopeOfItsReference) {
  int checked = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("Integral", static_cast<int>(seed % 10), seed);
    const auto slope = parse_expression(problem->parameter()["f_prime"].get<std::string>());
    const auto f = parse_expression(problem->reference());
    ASSERT_TRUE(slope && f);
    constexpr int kIntervals = 2000;
    const double low = 0.31;
    const double high = 0.83;
    const double h = (high - low) / kIntervals;
    std::vector<double> xs;
    for (int i = 0; i <= kIntervals; ++i) xs.push_back(low + i * h);
    const auto slopes = evaluate(*slope, xs);
    const auto values = evaluate(*f, xs);
    const auto missing = [](const auto& v) { return !v.has_value(); };
    if (std::ranges::any_of(slopes, missing) || std::ranges::any_of(values, missing)) continue;
    double area = 0.0;
    double largest = 1.0;
    for (int i = 0; i <= kIntervals; ++i) {
      const double y = *slopes[i];
      area += y * (i == 0 || i == kIntervals ? 1 : i % 2 == 1 ? 4 : 2) * h / 3;
      largest = std::max(largest, std::abs(y));
    }
    if (largest > 200) continue;  // a pole in between
    EXPECT_NEAR(*values.back() - *values.front(), area, 1e-6 * largest) << problem->prompt();
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

TEST(Integral, AcceptsEveryFormOfARightAnswerOnly) {
  const auto one_over_x = restore_problem(
      "Integral", R"json({"node_num": 2, "f_prime": "1/x", "reference_answer": "log(x)"})json");
  for (const char* right :
       {"log(x)", "log(Abs(x))", "ln(x) + 7", "log(-3*x)", "log(x**2)/2", "log(x) - 1.5 + pi"}) {
    EXPECT_TRUE(one_over_x->score(right).solved) << right;
  }
  for (const char* wrong :
       {"x*log(x)", "log(x) + x/10**6", "log(x) + sin(x)/10**9", "log(x) + 1/0", "log(x) + log(-1)",
        "log(x**2)", "-1/x**2", "1/x", "log(x)*1.0000001"}) {
    EXPECT_EQ(one_over_x->score(wrong).reward, 0.0) << wrong;
  }
  for (const char* malformed :
       {"Integral(1/x, x)", "log(x) + C", "log x", "log|x|", "F(x) = log(x)", "log(x) + I"}) {
    EXPECT_FALSE(one_over_x->score(malformed).well_formed) << malformed;
  }
  const auto power = restore_problem(
      "Integral",
      R"json({"node_num": 4, "f_prime": "4*(x + 1)**3", "reference_answer": "(x + 1)**4"})json");
  EXPECT_TRUE(power->score("x**4 + 4*x**3 + 6*x**2 + 4*x").solved);
  EXPECT_TRUE(power->score("x^4+4x^3").reward == kMalformedReward);
}

}  // namespace
}  // namespace redqueen
