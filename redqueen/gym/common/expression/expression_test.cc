#include "redqueen/gym/common/expression/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "redqueen/gym/common/expression/expression_ball.h"
#include "redqueen/gym/common/expression/testing.h"

namespace redqueen {
namespace {

Expression parsed(std::string_view text) {
  auto f = parse_expression(text);
  EXPECT_TRUE(f.has_value()) << text << ": " << f.error().message;
  return f ? *f : Expression{{{Op::kX, -1, -1}}, {}};
}

std::optional<double> value(std::string_view text, double x = 0.0) {
  return evaluate(parsed(text), std::array{x})[0];
}

Agreement compare(std::string_view reference, std::string_view other) {
  return compare(parsed(reference), parsed(other), 1);
}

TEST(ExpressionParser, GroupsAsPythonDoes) {
  EXPECT_EQ(value("2+3*4**2/8-1"), 2 + 3 * 16 / 8 - 1);
  EXPECT_EQ(value("-2**2"), -4);
  EXPECT_EQ(value("2**-1"), 0.5);
  EXPECT_EQ(value("2**3**2"), 512);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("8-4-2"), 2);
  EXPECT_EQ(value("- -3 * - +2"), -6);
  EXPECT_EQ(value("-x**2*3", 5), -75);
  EXPECT_EQ(value("2**-x*3", 1), 1.5);
  EXPECT_EQ(value(" ( x )\n+\t.5e1 + 1.", 2), 8);
  EXPECT_EQ(value("007"), 7);
}

TEST(ExpressionParser, RefusesWhatIsNotInTheLanguage) {
  for (const std::string_view text : {"",
                                      " ",
                                      "()",
                                      "x y",
                                      "2x",
                                      "2 x",
                                      "x2",
                                      "x(2)",
                                      "(x)(x)",
                                      "(2)x",
                                      "sin",
                                      "sin x",
                                      "sin*x",
                                      "sin()",
                                      "sin(x,2)",
                                      "sin(x,)",
                                      "pi(2)",
                                      "E(x)",
                                      "x.y",
                                      "x.diff(x)",
                                      "(x).real",
                                      "f(x)",
                                      "y",
                                      "X",
                                      "I",
                                      "oo",
                                      "zoo",
                                      "nan",
                                      "Integral(x, x)",
                                      "Derivative(x, x)",
                                      "lambda: 0",
                                      "[x]",
                                      "{x}",
                                      "x,x",
                                      "x;x",
                                      "x==x",
                                      "x=x",
                                      "x<1",
                                      "x//2",
                                      "x%2",
                                      "x!",
                                      "x**",
                                      "**x",
                                      "x***2",
                                      "x*/2",
                                      "*x",
                                      "x+",
                                      "(x",
                                      "x)",
                                      ")x(",
                                      "sin(x",
                                      "1e",
                                      "1e+",
                                      ".",
                                      "1..2",
                                      "1.2.3",
                                      "0x10",
                                      "1_000",
                                      "\"x\"",
                                      "'x'",
                                      "x # y",
                                      "x\\",
                                      "x\xc2\xb2",
                                      "\xe2\x88\x92x",
                                      "x and x",
                                      "not x",
                                      "x if x else x",
                                      "__import__('os')",
                                      "$x$",
                                      "exp^x",
                                      "2(x)",
                                      "+C",
                                      "x + C",
                                      "e**x"}) {
    EXPECT_FALSE(parse_expression(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_expression(std::string_view("x\0", 2)).has_value());
}

TEST(ExpressionParser, HoldsItsLimits) {
  const ExpressionLimits wide{.bytes = std::size_t{1} << 22, .digits = 400};
  const auto repeat = [](std::string_view part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  constexpr int kDeep = 100'000;
  for (const std::string& text :
       {repeat("(", kDeep), repeat("sin(", kDeep), repeat(")", kDeep), repeat("-", kDeep),
        repeat("x**", kDeep), std::string(401, '9'), std::string("1e401"),
        std::string("1e-999999999999999999999"), "0." + std::string(400, '0') + "1"}) {
    EXPECT_FALSE(parse_expression(text, wide).has_value()) << text.substr(0, 20);
  }
  EXPECT_FALSE(parse_expression(std::string(10'001, ' ') + "x").has_value());
  // Deep formulas are read, written, differentiated and evaluated without recursion.
  for (const std::string& text :
       {repeat("(", kDeep) + "x" + repeat(")", kDeep), repeat("-", kDeep) + "x",
        repeat("sin(", kDeep) + "x" + repeat(")", kDeep), repeat("x**", kDeep) + "x",
        repeat("x-", kDeep) + "x", repeat("x*", kDeep) + "x"}) {
    const auto f = parse_expression(text, wide);
    ASSERT_TRUE(f.has_value()) << text.substr(0, 20);
    const auto again =
        parse_expression(to_text(*f), {.bytes = std::size_t{1} << 26, .digits = 400});
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->nodes, f->nodes);
    EXPECT_EQ(evaluate(*f, std::array{0.5}), evaluate(*again, std::array{0.5}));
    EXPECT_LE(derivative(*f).nodes.size(), 20 * f->nodes.size() + 20);
    evaluate(derivative(*f), std::array{0.5});
  }
}

TEST(ExpressionParser, SurvivesRandomText) {
  Rng rng = expression_test_rng("random text");
  constexpr std::string_view kPieces = "x0123456789.e+-*/^() sincoexplgqrtAbE,_";
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    if (round % 2 == 0) {
      for (std::int64_t n = rng.integer(1, 12); n > 0; --n) {
        text += kPieces[rng.below(kPieces.size())];
      }
    } else {
      text = random_expression_text(rng, 5);
      text[rng.below(text.size())] = static_cast<char>(rng.below(256));
    }
    const auto f = parse_expression(text);
    if (!f) continue;
    ++accepted;
    const auto again = parse_expression(to_text(*f));
    ASSERT_TRUE(again.has_value()) << text << " written as " << to_text(*f);
    EXPECT_EQ(to_text(*again), to_text(*f)) << text;
    evaluate(derivative(*f), std::array{0.7});
    simplified(*f);
  }
  EXPECT_GT(accepted, 500);
}

TEST(ExpressionText, ReadsBackAsTheSameFormula) {
  Rng rng = expression_test_rng("round trip");
  for (int round = 0; round < 5'000; ++round) {
    const std::string text = random_expression_text(rng, static_cast<int>(rng.integer(0, 12)));
    const Expression f = parsed(text);
    const std::array xs{-1.3, 0.4, 1.9};
    EXPECT_EQ(evaluate(f, xs), evaluate(parsed(to_text(f)), xs)) << text << " as " << to_text(f);
  }
}

TEST(ExpressionText, CountsOperations) {
  EXPECT_EQ(count_operations(parsed("x")), 0);
  EXPECT_EQ(count_operations(parsed("-sin(x)**2 + x/3")), 5);
  // A shared part counts as often as it is written.
  Expression doubling = parsed("x");
  for (int i = 0; i < 200; ++i) doubling.nodes.push_back({Op::kAdd, i, i});
  EXPECT_GT(count_operations(doubling), std::int64_t{1} << 59);
}

// Oracle: the slope of a chord. Its error falls with the square of the chord's length.
TEST(ExpressionDerivative, IsTheSlopeOfChords) {
  Rng rng = expression_test_rng("chords");
  int compared = 0;
  for (int round = 0; round < 3'000; ++round) {
    const std::string text = random_expression_text(rng, static_cast<int>(rng.integer(1, 6)));
    const Expression f = parsed(text);
    const double x = rng.real(-2, 2);
    const auto slope = evaluate(derivative(f), std::array{x})[0];
    const auto chord = [&](double h) -> std::optional<double> {
      const auto ends = evaluate(f, std::array{x - h, x + h});
      if (!ends[0] || !ends[1]) return std::nullopt;
      return (*ends[1] - *ends[0]) / (2 * h);
    };
    const auto wide = chord(1e-4);
    const auto narrow = chord(5e-5);
    // Where two chords differ, the function bends too much for this oracle.
    if (!slope || !wide || !narrow || std::abs(*wide - *narrow) > 1e-5 * (1 + std::abs(*narrow)))
      continue;
    // Where the function is large, its ends as doubles are too coarse for this oracle.
    const auto height = evaluate(f, std::array{x})[0];
    if (!height || std::abs(*height) > 1e6) continue;
    ++compared;
    EXPECT_NEAR(*slope, *narrow, 1e-4 * (1 + std::abs(*narrow))) << text << " at " << x;
  }
  EXPECT_GT(compared, 1000);
}

TEST(ExpressionSimplified, KeepsValues) {
  Rng rng = expression_test_rng("simplified");
  int compared = 0;
  for (int round = 0; round < 4'000; ++round) {
    const std::string text = random_expression_text(rng, static_cast<int>(rng.integer(1, 10)));
    const Expression f = parsed(text);
    const Expression simple = simplified(f);
    for (int i = 0; i < 3; ++i) {
      const std::array x{rng.real(-2, 2)};
      const auto before = evaluate(f, x)[0];
      const auto after = evaluate(simple, x)[0];
      if (!before) continue;  // x/x has no value at 0, but 1 has
      ASSERT_TRUE(after.has_value()) << text << " became " << to_text(simple);
      EXPECT_NEAR(*after, *before, 1e-8 * (1 + std::abs(*before)))
          << text << " became " << to_text(simple);
      ++compared;
    }
  }
  EXPECT_GT(compared, 4'000);
}

TEST(ExpressionSimplified, WritesAsAPersonWould) {
  const auto simple = [](std::string_view text) { return to_text(simplified(parsed(text))); };
  EXPECT_EQ(simple("x*x*3 - x*x - x + 0*sin(x)"), "2*x**2 - x");
  EXPECT_EQ(simple("-8*x + 8"), "8 - 8*x");
  EXPECT_EQ(simple("x/x"), "1");
  EXPECT_EQ(simple("x - x"), "0");
  EXPECT_EQ(simple("sqrt(4*x)*sqrt(x)"), "2*x");
  EXPECT_EQ(simple("sin(-x)*cos(-x)"), "-cos(x)*sin(x)");
  EXPECT_EQ(simple("exp(x)*exp(2*x)*E**3"), "exp(3*x + 3)");
  EXPECT_EQ(simple("log(exp(x + 1)) + exp(log(x))"), "2*x + 1");
  EXPECT_EQ(simple("2*(x + 1)"), "2*x + 2");
  EXPECT_EQ(simple("x*2/3/sqrt(x + 1)"), "2*x/(3*sqrt(x + 1))");
  EXPECT_EQ(simple("(x**2)**(1/2)"), "sqrt(x**2)") << "not x, which is negative for negative x";
  EXPECT_EQ(simple("(2*x*sin(x))**2"), "4*x**2*sin(x)**2");
  EXPECT_EQ(simple("8**(2/3) + 1/sqrt(x)"), "1/sqrt(x) + 4");
}

TEST(ExpressionCompare, KnowsIdentities) {
  for (const auto& [f, g] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"sin(x)**2 + cos(x)**2", "1"},
           {"(x + 1)**3", "x**3 + 3*x**2 + 3*x + 1"},
           {"sin(2*x)", "2*sin(x)*cos(x)"},
           {"1/(x - 1) - 1/(x + 1)", "2/(x**2 - 1)"},
           {"exp(x)", "E^x"},
           {"tanh(x)", "(exp(2*x) - 1)/(exp(2*x) + 1)"},
           {"1/x", "Abs(x)*sign(x)/x**2"},
           {"0.1*x", "x/10"},
           {"x**0.5", "sqrt(x)"},
           {"asin(x) + acos(x)", "pi/2"},
           {"asinh(x)", "log(x + sqrt(x**2 + 1))"},
           {"2*atanh(x)", "log((1 + x)/(1 - x))"},
           {"log(x**2)", "2*log(x)"},
           {"(x - 1)**2/(x - 1)", "x - 1"},
           {"0", "x - x"},
           {"10**-30*x", "x/10**30"}}) {
    EXPECT_EQ(compare(f, g), Agreement::kEqual) << f << " and " << g;
    EXPECT_EQ(compare(g, f), Agreement::kEqual) << g << " and " << f;
  }
}

TEST(ExpressionCompare, TellsNearMissesApart) {
  for (const auto& [f, g] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"x", "x + sin(x)/10**6"},
           {"x", "x + sin(x)/10**20"},
           {"x/3", "0.333333333333333*x"},
           {"pi", "3.14159265358979323846"},
           {"exp(x)", "2.718281828459045**x"},
           {"sin(x)/10**12", "2*sin(x)/10**12"},
           {"x", "sqrt(x**2)"},
           {"x", "Abs(x)"},
           {"x", "Abs(x + 3) - 3"},
           {"1", "0"},
           {"log(x)", "log(Abs(x) + 1)"}}) {
    EXPECT_EQ(compare(f, g), Agreement::kDifferent) << f << " and " << g;
    EXPECT_EQ(compare(g, f), Agreement::kDifferent) << g << " and " << f;
  }
}

TEST(ExpressionCompare, DecidesNothingWithoutPoints) {
  for (const std::string_view nowhere :
       {"log(-1 - x**2)", "1/(x - x)", "sqrt(-x**2 - 1)", "9**9**9 - x", "0/0", "(-2)**(x*sqrt(2))",
        "acos(3 + x**2)"}) {
    EXPECT_EQ(compare("x", nowhere), Agreement::kUndecided) << nowhere;
    EXPECT_EQ(compare(nowhere, nowhere), Agreement::kUndecided) << nowhere;
  }
  EXPECT_EQ(compare("x", "x + 0*sqrt(x - 1.95)"), Agreement::kUndecided) << "too few points";
  EXPECT_FALSE(constants_have_values(parsed("x + 1/0")));
  EXPECT_FALSE(constants_have_values(parsed("x + log(-1)")));
  EXPECT_TRUE(constants_have_values(parsed("x + log(3)*asin(1) - 0*x + (-8)**3")));
}

// Whatever the true value within the ball, the function's value lies within the result.
TEST(ExpressionBall, EnclosesTheTrueValue) {
  using Function = Ball<double> (*)(const Ball<double>&);
  using Exact = WideReal (*)(const WideReal&);
  struct Case {
    const char* name;
    Function ball;
    Exact exact;
    double low, high;
  };
  const std::vector<Case> cases{
      {"exp", exponential<double>, [](const WideReal& v) { return WideReal(exp(v)); }, -20, 20},
      {"log", logarithm<double>, [](const WideReal& v) { return WideReal(log(v)); }, 0, 3},
      {"sqrt", square_root<double>, [](const WideReal& v) { return WideReal(sqrt(v)); }, 0, 3},
      {"sin", sine<double>, [](const WideReal& v) { return WideReal(sin(v)); }, -50, 50},
      {"cos", cosine<double>, [](const WideReal& v) { return WideReal(cos(v)); }, -50, 50},
      {"asin", [](const Ball<double>& v) { return arc(v, false); },
       [](const WideReal& v) { return WideReal(asin(v)); }, -1, 1},
      {"acos", [](const Ball<double>& v) { return arc(v, true); },
       [](const WideReal& v) { return WideReal(acos(v)); }, -1, 1},
      {"atan", arc_tangent<double>, [](const WideReal& v) { return WideReal(atan(v)); }, -9, 9},
      {"asinh", area_sine<double>, [](const WideReal& v) { return WideReal(asinh(v)); }, -9, 9},
      {"acosh", area_cosine<double>, [](const WideReal& v) { return WideReal(acosh(v)); }, 1, 9},
      {"atanh", area_tangent<double>, [](const WideReal& v) { return WideReal(atanh(v)); }, -1, 1},
      {"x^-5/3",
       [](const Ball<double>& v) { return fixed_power(v, Exponent<double>(Rational(-5, 3))); },
       [](const WideReal& v) { return WideReal(pow(v, WideReal(-5) / 3)); }, 0, 3},
      {"x^7", [](const Ball<double>& v) { return fixed_power(v, Exponent<double>(Rational(7))); },
       [](const WideReal& v) { return WideReal(pow(v, WideReal(7))); }, -3, 3},
      {"1/x", [](const Ball<double>& v) { return quotient(exact<double>(1), v); },
       [](const WideReal& v) { return WideReal(1 / v); }, -3, 3},
      {"x*x", [](const Ball<double>& v) { return product(v, v); },
       [](const WideReal& v) { return WideReal(v * v); }, -3, 3}};
  Rng rng = expression_test_rng("balls");
  for (const Case& c : cases) {
    int checked = 0;
    for (int round = 0; round < 400; ++round) {
      const Ball<double> a{rng.real(c.low, c.high),
                           rng.chance(0.2) ? 0.0 : std::pow(10.0, rng.real(-18, -1))};
      const Ball<double> result = c.ball(a);
      if (!result.has_value()) continue;
      const WideReal inside = WideReal(a.mid) + WideReal(a.radius) * WideReal(rng.real(-1, 1));
      const WideReal error = abs(WideReal(c.exact(inside) - WideReal(result.mid)));
      EXPECT_LE(error, WideReal(result.radius)) << c.name << " of " << a.mid << " ± " << a.radius;
      ++checked;
    }
    EXPECT_GT(checked, 100) << c.name;
  }
}

}  // namespace
}  // namespace redqueen
