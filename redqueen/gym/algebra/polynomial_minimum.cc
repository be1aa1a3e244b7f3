#include <algorithm>
#include <cmath>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/polynomial.h"

namespace redqueen {
namespace {

struct PolynomialMinimum {
  static constexpr Card card{
      .name = "PolynomialMinimum",
      .published = true,
      .family = Family::kAlgebra,
      .answer = AnswerKind::kReal,
      .scoring = Scoring::kOther,
      .task = "Find the real number at which a strictly convex polynomial is least.",
      .levels = "The degree starts at 2 and rises by two a level.",
      .rewards =
          "-1 malformed, 0 not below f(0), else 0.95 (drop / greatest drop)^5, where the drop of "
          "x is f(0) - f(x). An answer with 99.9 % of the greatest drop is right.",
      .differences =
          "The minimum is not at 0 and, from degree 4 on, not near any multiple of 1/2. Values "
          "are computed exactly, and none earns more than 0.95: the published reward rises a "
          "little when an answer is below the published minimum, which only rounding makes "
          "possible.",
  };

  static constexpr double kRight = 0.95;
  static constexpr double kBeta = 5.0;
  static constexpr double kTolerance = 0.999;  // of the greatest drop
  static constexpr int kMaxWeight = 2;         // of multipliers and shifts
  static constexpr int kMaxDegree = 400;
  static constexpr unsigned kMaxCoefficientBits = 2000;
  static constexpr double kMaxMinimiser = 1000.0;
  static constexpr double kReferenceUnits =
      1e9;  // reference answers are multiples of 1/kReferenceUnits
  static constexpr double kCertainty = 1e-6;  // how near the minimum a reference answer must be

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<BigInt> coeffs;  // of x^0 first
    double reference_answer = 0;
    REDQUEEN_FIELDS(N, coeffs, reference_answer)
  };
  using Answer = double;

  static Config at_level(int level, Rng&) { return {.N = 2 * (level + 1)}; }

  // A sum of even powers, one of each degree.
  static Problem published(const Config& config, Rng& rng) {
    std::vector<Power> powers;
    for (int degree = 2; degree <= config.N; degree += 2) {
      powers.push_back({degree, rng.integer(1, kMaxWeight), rng.integer(-kMaxWeight, kMaxWeight)});
    }
    return {.N = config.N, .coeffs = expand(powers), .reference_answer = minimiser(powers)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = published(config, rng);
    if (problem.coeffs[1] == 0) throw Retry();  // the minimum is at 0
    if (config.N > 2) {
      const Range range = measure(problem);
      for (const double simple : {-2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0}) {
        if (score(problem, simple, range) >= passing(problem)) throw Retry();
      }
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 2 || problem.N % 2 != 0 || problem.N > kMaxDegree) {
      return failure("\"N\": expected an even degree from 2 to {}, found {}", kMaxDegree,
                     problem.N);
    }
    if (problem.coeffs.size() != static_cast<std::size_t>(problem.N) + 1 ||
        problem.coeffs.back() <= 0) {
      return failure("\"coeffs\": expected {} of them, the last one positive", problem.N + 1);
    }
    for (const BigInt& coefficient : problem.coeffs) {
      if (coefficient != 0 && msb(abs(coefficient)) > kMaxCoefficientBits) {
        return failure("\"coeffs\": a coefficient has more than {} bits", kMaxCoefficientBits);
      }
    }
    std::vector<BigInt> slope;
    for (int power = 1; power <= problem.N; ++power) slope.push_back(problem.coeffs[power] * power);
    const double x = problem.reference_answer;
    if (!(std::abs(x) <= kMaxMinimiser) || scaled_value(slope, x - kCertainty) >= 0 ||
        scaled_value(slope, x + kCertainty) <= 0) {
      return failure("\"reference_answer\": the polynomial of \"coeffs\" is not least there");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "The polynomial\n"
        "f(x) = {}\n"
        "is strictly convex, so there is one real number x at which f(x) is least. Find it.\n"
        "Answer with x as a decimal number, such as -12.5; six digits after the point are "
        "precise enough.",
        polynomial_text(problem.coeffs));
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_real(answer); }

  // Values at 0 and at the minimum, scaled as scaled_value() does.
  struct Range {
    BigInt worst;
    BigInt best;
  };
  static Range measure(const Problem& problem) {
    return {problem.coeffs[0] << (kFraction * static_cast<unsigned>(problem.N)),
            scaled_value(problem.coeffs, problem.reference_answer)};
  }

  static double score(const Problem& problem, Answer answer, const Range& range) {
    // Far from the minimum of a convex function its values only grow; this also bounds the work.
    if (std::abs(answer) > kFar) return 0.0;
    if (answer == problem.reference_answer) return kRight;
    const BigInt value = scaled_value(problem.coeffs, answer);
    if (value <= range.best) return kRight;
    if (value >= range.worst) return 0.0;
    return kRight * std::pow(ratio(range.worst - value, range.worst - range.best), kBeta);
  }

  static double passing(const Problem&) { return kRight * std::pow(kTolerance, kBeta); }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem&, Rng& rng) {
    return std::round(rng.real(-kMaxWeight, kMaxWeight) * 1000.0) / 1000.0;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const double c1 = problem.coeffs[1].convert_to<double>();
    const double c2 = problem.coeffs[2].convert_to<double>();
    return {{"the minimum of the part of degree 2", c2 > 0 ? format_answer(-c1 / (2 * c2)) : "0"}};
  }

 private:
  // multiplier · (x − shift)^degree
  struct Power {
    int degree;
    std::int64_t multiplier;
    std::int64_t shift;
  };

  static constexpr unsigned kFraction = 60;  // binary places that answers are rounded to
  static constexpr double kFar = 0x1.0p30;

  static std::vector<BigInt> expand(const std::vector<Power>& powers) {
    std::vector<BigInt> coefficients(powers.back().degree + 1);
    for (const auto& [degree, multiplier, shift] : powers) {
      BigInt term = multiplier;  // of x^(degree − i): multiplier · C(degree, i) · (−shift)^i
      for (int i = 0; i <= degree && term != 0; ++i) {
        coefficients[degree - i] += term;
        term = term * ((degree - i) * -shift) / (i + 1);
      }
    }
    return coefficients;
  }

  // By bisection of the slope, which rises from one side of the shifts to the other. From the
  // powers and not from the coefficients, whose terms nearly cancel.
  static double minimiser(const std::vector<Power>& powers) {
    double low = -kMaxWeight;
    double high = kMaxWeight;
    for (int i = 0; i < 50; ++i) {
      const double middle = (low + high) / 2;
      (slope(powers, middle) < 0 ? low : high) = middle;
    }
    return std::round(low * kReferenceUnits) / kReferenceUnits + 0.0;  // never -0
  }

  static double slope(const std::vector<Power>& powers, double x) {
    double sum = 0;
    for (const auto& [degree, multiplier, shift] : powers) {
      const double base = x - static_cast<double>(shift);
      const double square = base * base;
      double power = base;
      for (int i = 2; i < degree; i += 2) power *= square;
      sum += static_cast<double>(multiplier * degree) * power;
    }
    return sum;
  }

  // 2^(60 · degree) times the value at x, which is rounded to 60 binary places; exact otherwise.
  // |x| ≤ kFar.
  static BigInt scaled_value(const std::vector<BigInt>& coefficients, double x) {
    int exponent = 0;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
    const int shift = exponent - 53 + static_cast<int>(kFraction);
    const BigInt point =
        shift >= 0 ? BigInt(mantissa) << shift : BigInt(std::llround(std::ldexp(x, kFraction)));
    BigInt value = coefficients.back();
    unsigned scale = 0;
    for (std::size_t i = coefficients.size() - 1; i > 0; --i) {
      scale += kFraction;
      value = value * point + (coefficients[i - 1] << scale);
    }
    return value;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(PolynomialMinimum);

}  // namespace
}  // namespace redqueen
