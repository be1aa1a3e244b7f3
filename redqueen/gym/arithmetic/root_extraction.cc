#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct RootExtraction {
  static constexpr Card card{
      .name = "RootExtraction",
      .published = true,
      .family = Family::kArithmetic,
      .answer = AnswerKind::kReal,
      .scoring = Scoring::kCloseness,
      .task = "Compute a root of an integer to five decimal places.",
      .levels =
          "The bound on the integer starts at 3 and grows by half each level; the bound on the "
          "degree "
          "of the root starts at 2 and grows by one.",
      .rewards = "-1 malformed, else 1/(1 + error)^2; solved with an error of at most 0.0001.",
      .differences =
          "The integer lies in the upper half of its range. From level 1 on, the root is never a "
          "whole number and "
          "of degree 2 or more, and low degrees are drawn more often, because roots of high degree "
          "crowd near 1.",
      .small_answer_space =
          "The published reward falls off slowly with the error and most roots of small numbers "
          "lie between 1 and 3, so that one number in between earns up to two thirds of the "
          "reward; from level 2 on it solves almost none.",
      .guess_until_level = 2,
  };

  static constexpr double kPassingError = 1e-4;
  static constexpr double kRoundingError = 1e-12;  // of the reward

  struct Config {
    std::int64_t MAX_N = 0;
    std::int64_t MAX_K = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_K)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t MAX_K = 0;
    std::int64_t N = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_K, N, K)
  };
  using Answer = double;

  static Config at_level(int level, Rng&) {
    return {.MAX_N = grow_by_half(3, level, 1'000'000'000'000), .MAX_K = 2 + level};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .MAX_K = config.MAX_K, .N = 0, .K = 0};
    problem.N = draw_upper_half(2, config.MAX_N, rng);
    if (config.MAX_K == 2) {  // but four problems, two of them with K = 1
      problem.K = rng.integer(1, 2);
      return problem;
    }
    problem.K = std::min(rng.integer(2, config.MAX_K), rng.integer(2, config.MAX_K));
    if (scaled_root(problem) % kScale == 0) throw Retry();
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_N = config.MAX_N,
            .MAX_K = config.MAX_K,
            .N = rng.integer(1, config.MAX_N),
            .K = rng.integer(1, config.MAX_K)};
  }

  static Status check(const Problem& problem) {
    return within("N", problem.N, 1, 1'000'000'000'000).and_then([&] {
      return within("K", problem.K, 1, 200);
    });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Compute {}^(1/{}), the positive real number x with x^{} = {}, to five places after the "
        "decimal point.\n"
        "Answer with one decimal number.",
        problem.N, problem.K, problem.K, problem.N);
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_real(answer); }

  static double score(const Problem&, Answer answer, Answer right) {
    const double error = std::abs(answer - right);
    if (error == 0.0) return 1.0;
    return std::min(1.0 / ((1.0 + error) * (1.0 + error)), kAlmostSolved);
  }

  static double passing(const Problem&) {
    return 1.0 / ((1.0 + kPassingError) * (1.0 + kPassingError)) - kRoundingError;
  }

  static Answer solve(const Problem& problem) {
    return static_cast<double>(scaled_root(problem)) / static_cast<double>(kScale);
  }

  static constexpr std::int64_t kScale = 100'000;

  // The root times 10^5, rounded to the nearest integer: a guess in double precision, put right
  // with exact powers.
  static std::int64_t scaled_root(const Problem& problem) {
    const auto k = static_cast<unsigned>(problem.K);
    const double root = std::pow(static_cast<double>(problem.N), 1.0 / static_cast<double>(k));
    std::int64_t scaled = std::llround(root * static_cast<double>(kScale));
    // r rounds to s if (2s − 1)^K ≤ (2r)^K < (2s + 1)^K, where (2r)^K = N·(2·10^5)^K is an integer.
    const BigInt doubled = problem.N * pow(BigInt(2 * kScale), k);
    while (pow(BigInt(2 * scaled - 1), k) > doubled) --scaled;
    while (pow(BigInt(2 * scaled + 1), k) <= doubled) ++scaled;
    return scaled;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::int64_t most = problem.N * kScale;
    return static_cast<double>(rng.integer(kScale, std::max(most, kScale))) /
           static_cast<double>(kScale);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const double n = static_cast<double>(problem.N);
    return {{"1.5", "1.5"}, {"N divided by K", format_answer(n / static_cast<double>(problem.K))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(RootExtraction);

}  // namespace
}  // namespace redqueen
