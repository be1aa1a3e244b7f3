#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/polynomial.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct PolynomialRemainder {
  static constexpr Card card{
      .name = "PolynomialRemainder",
      .published = true,
      .family = Family::kAlgebra,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task = "Find the remainder of one integer polynomial divided by another.",
      .levels =
          "The degree N of the dividend starts at 3 and grows by a tenth and one a level; the "
          "divisor's is 2 to 5 or a share of N from 0.1 to 0.9.",
      .rewards = "-1 malformed, -0.5 wrong count, else (coefficients that are right / M)^10.",
      .differences =
          "From level 1 on the divisor has a lower degree than the dividend, and the remainder is "
          "never 0.",
      .max_level = 50,
      .redundant_parameter = true,
  };

  static constexpr double kBeta = 10.0;
  static constexpr std::int64_t kMaxWeight = 5;
  static constexpr std::int64_t kLargestCoefficient = 1'000'000;

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  using Coefficients = std::vector<std::int64_t>;  // of x^0 first
  struct Problem {
    int N = 0;
    int M = 0;
    Coefficients Q_coeffs;
    Coefficients R_coeffs;
    Coefficients S_coeffs;
    Coefficients P_coeffs;
    REDQUEEN_FIELDS(N, M, Q_coeffs, R_coeffs, S_coeffs, P_coeffs)
  };
  using Answer = Coefficients;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    // With M = N one subtraction does it: only at level 0.
    return {.N = n, .M = draw_degree(n, level == 0 ? n : n - 1, rng)};
  }

  // The degree of a divisor, at most `most`, or a share of n.
  static int draw_degree(int n, int most, Rng& rng) {
    std::set<int> degrees;
    for (const int m : {2, 3, 4, 5}) {
      if (m <= most) degrees.insert(m);
    }
    for (const double ratio : {0.1, 0.3, 0.5, 0.7, 0.9}) {
      if (const int m = static_cast<int>(n * ratio); m >= 2) degrees.insert(m);
    }
    const std::vector<int> choices(degrees.begin(), degrees.end());
    return rng.choice(choices);
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = published(config, rng);
    if (std::ranges::count(problem.S_coeffs, 0) == config.M) throw Retry();
    return problem;
  }

  static Coefficients random_coefficients(int count, Rng& rng) {
    Coefficients coefficients;
    for (int i = 0; i < count; ++i) coefficients.push_back(rng.integer(-kMaxWeight, kMaxWeight));
    return coefficients;
  }

  static Coefficients dividend(const Problem& problem) {
    Coefficients product = multiply_polynomials(problem.Q_coeffs, problem.R_coeffs);
    for (std::size_t i = 0; i < problem.S_coeffs.size(); ++i) product[i] += problem.S_coeffs[i];
    return product;
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    return {.N = n, .M = draw_degree(n, n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .M = config.M,
                    .Q_coeffs = random_coefficients(config.M + 1, rng),
                    .R_coeffs = random_coefficients(config.N - config.M + 1, rng),
                    .S_coeffs = random_coefficients(config.M, rng),
                    .P_coeffs = {}};
    problem.Q_coeffs.back() = rng.integer(1, kMaxWeight);
    problem.R_coeffs.back() = rng.integer(1, kMaxWeight);
    problem.P_coeffs = dividend(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, 2'000); !sound) return sound;
    if (auto sound = within("M", problem.M, 1, problem.N); !sound) return sound;
    struct Part {
      std::string_view key;
      const Coefficients& coefficients;
      int size;
    };
    for (const Part& part : {Part{"Q_coeffs", problem.Q_coeffs, problem.M + 1},
                             Part{"R_coeffs", problem.R_coeffs, problem.N - problem.M + 1},
                             Part{"S_coeffs", problem.S_coeffs, problem.M}}) {
      if (part.coefficients.size() != static_cast<std::size_t>(part.size)) {
        return failure("\"{}\": expected {} numbers", part.key, part.size);
      }
      for (const std::int64_t c : part.coefficients) {
        auto sound = within(part.key, c, -kLargestCoefficient, kLargestCoefficient);
        if (!sound) return sound;
      }
    }
    if (problem.Q_coeffs.back() == 0) return failure("\"Q_coeffs\": ends with 0");
    if (problem.P_coeffs != dividend(problem)) return failure("\"P_coeffs\": not Q*R + S");
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Divide the polynomial\nP(x) = {}\nby\nQ(x) = {}\nthat is, write P = Q*R + S with a "
        "remainder S of degree less than {}. All coefficients of R and S are integers.\n"
        "Answer with the {} coefficients of S, of x^0 to x^{} in this order (0 where a power is "
        "missing), separated by spaces.",
        polynomial_text(problem.P_coeffs), polynomial_text(problem.Q_coeffs), problem.M, problem.M,
        problem.M - 1);
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_int_list(answer); }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.S_coeffs.size()) return kInvalidReward;
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) matches += answer[i] == problem.S_coeffs[i];
    return share_reward(matches, problem.M, kBeta);
  }

  static Answer solve(const Problem& problem) { return problem.S_coeffs; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_coefficients(problem.M, rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto low = problem.P_coeffs.begin();
    // One step of the division, as if the quotient were a number.
    Answer one_step(low, low + problem.M);
    const std::int64_t factor = problem.P_coeffs.back() / problem.Q_coeffs.back();
    for (std::size_t i = 0; i < one_step.size(); ++i) one_step[i] -= factor * problem.Q_coeffs[i];
    return {{"all zeros", format_answer(Answer(problem.S_coeffs.size(), 0))},
            {"the low coefficients of P", format_answer(Answer(low, low + problem.M))},
            {"one step of the division", format_answer(one_step)}};
  }
};
REDQUEEN_ENVIRONMENT(PolynomialRemainder);

}  // namespace
}  // namespace redqueen
