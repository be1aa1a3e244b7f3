#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/polynomial.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct PolynomialInterpolation {
  static constexpr Card card{
      .name = "PolynomialInterpolation",
      .published = true,
      .family = Family::kAlgebra,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task = "Find the polynomial of given degree that takes given values.",
      .levels =
          "The degree N starts at 2 and grows by a tenth and one a level. Beyond level 38 a prompt "
          "would pass 256 KiB.",
      .rewards = "-1 malformed, -0.5 wrong count, else (coefficients that are right / (N + 1))^10.",
      .differences =
          "0 is never among the points, where the value would be a coefficient; coefficients reach "
          "N where that is more than 5, so that they cannot be read off the digits of one value.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 38,
      .redundant_parameter = true,
  };

  static constexpr double kBeta = 10.0;
  static constexpr std::int64_t kLeastWeight = 5;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> coeffs;  // of x^0 first
    std::vector<std::int64_t> X;
    std::vector<BigInt> Y;
    REDQUEEN_FIELDS(N, coeffs, X, Y)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .coeffs = random_coefficients(n, rng), .X = {}, .Y = {}};
    problem.coeffs.back() = rng.integer(1, weight(n));
    for (std::int64_t x : rng.sample(1, 2 * n, static_cast<std::size_t>(n) + 1)) {
      problem.X.push_back(x <= n ? x : n - x);
    }
    for (const std::int64_t x : problem.X) problem.Y.push_back(value(problem.coeffs, x));
    return problem;
  }

  static std::int64_t weight(int n) { return std::max<std::int64_t>(kLeastWeight, n); }

  static Answer random_coefficients(int n, Rng& rng) {
    Answer coefficients;
    for (int i = 0; i <= n; ++i) coefficients.push_back(rng.integer(-weight(n), weight(n)));
    return coefficients;
  }

  static BigInt value(const std::vector<std::int64_t>& coefficients, std::int64_t x) {
    return evaluate_polynomial(std::vector<BigInt>(coefficients.begin(), coefficients.end()),
                               BigInt(x));
  }

  // Coefficients up to kLeastWeight whatever the degree, at points of which 0 may be one.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .coeffs = {}, .X = {}, .Y = {}};
    for (int i = 0; i < n; ++i) problem.coeffs.push_back(rng.integer(-kLeastWeight, kLeastWeight));
    problem.coeffs.push_back(rng.integer(1, kLeastWeight));
    problem.X = rng.sample(-n, n, static_cast<std::size_t>(n) + 1);
    for (const std::int64_t x : problem.X) problem.Y.push_back(value(problem.coeffs, x));
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 0, 300); !sound) return sound;
    const std::size_t count = static_cast<std::size_t>(problem.N) + 1;
    if (problem.coeffs.size() != count) return failure("\"coeffs\": expected {} numbers", count);
    if (problem.X.size() != count) return failure("\"X\": expected {} numbers", count);
    if (problem.Y.size() != count) return failure("\"Y\": expected {} numbers", count);
    if (std::set(problem.X.begin(), problem.X.end()).size() != count) {
      return failure("\"X\": the points are not all different");
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (value(problem.coeffs, problem.X[i]) != problem.Y[i]) {
        return failure("\"Y\"[{}]: not the value of the polynomial \"coeffs\"", i);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string text = "f(x) = a_0";
    if (problem.N >= 1) text += " + a_1*x";
    if (problem.N > 2) text += " + …";
    if (problem.N >= 2) text += fmt::format(" + a_{0}*x^{0}", problem.N);
    text += " is a polynomial with integer coefficients. It takes these values:\n";
    for (std::size_t i = 0; i < problem.X.size(); ++i) {
      append_format(text, "f({}) = {}\n", problem.X[i], problem.Y[i].str());
    }
    append_format(
        text,
        "Answer with its {} coefficients a_0 to a_{} in this order (the constant term first), "
        "separated by spaces.",
        problem.N + 1, problem.N);
    return text;
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.coeffs.size()) return kInvalidReward;
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) matches += answer[i] == problem.coeffs[i];
    return share_reward(matches, problem.N + 1, kBeta);
  }

  static Answer solve(const Problem& problem) { return problem.coeffs; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_coefficients(problem.N, rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"all zeros", format_answer(Answer(problem.coeffs.size(), 0))},
            {"the points", format_answer(problem.X)}};
  }
};
REDQUEEN_ENVIRONMENT(PolynomialInterpolation);

}  // namespace
}  // namespace redqueen
