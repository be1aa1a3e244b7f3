#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MaximumDivisor {
  static constexpr Card card{
      .name = "MaximumDivisor",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kMaximise,
      .task =
          "Find the largest L for which the quotients of the numbers by L, rounded down, add up to "
          "K at least.",
      .levels =
          "The list grows from 3 numbers by a fifth and two a level. Beyond level 35 it is too "
          "long to write.",
      .rewards = "-1 malformed or not positive, -0.5 too large, else (answer/largest)^5.",
      .differences =
          "Numbers reach 20 times the length of the list and more, and the largest divisor is "
          "drawn first; with numbers no longer than the list it is mostly 1 or 2.",
      .max_level = 35,
  };

  static constexpr std::int64_t kMaxNumber = 1'000'000'000'000;
  static constexpr std::size_t kMaxLength = 20'000;
  static constexpr double kBeta = 5.0;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::int64_t K = 0;
    std::vector<std::int64_t> A;
    REDQUEEN_FIELDS(N, K, A)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) {
    return {.N = climb(3, level, [](int n) { return n + n / 5 + 2; })};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t largest = 20 * std::int64_t{config.N} + 40;
    Problem problem{.N = config.N, .K = 0, .A = {}};
    for (int i = 0; i < config.N; ++i) problem.A.push_back(rng.integer(1, largest));
    problem.K = quotient_sum(problem, rng.integer(2, largest / 2));
    if (problem.K == 0) throw Retry();
    return problem;
  }

  static std::int64_t quotient_sum(const Problem& problem, std::int64_t divisor) {
    std::int64_t sum = 0;
    for (const std::int64_t a : problem.A) sum += a / divisor;
    return sum;
  }

  // Numbers up to the length of the list, of which one is raised where they do not add up to K.
  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    Problem problem{.N = config.N, .K = 0, .A = {}};
    problem.K = rng.integer(1, n * std::max<std::int64_t>(1, n / 20));
    for (int i = 0; i < config.N; ++i) problem.A.push_back(rng.integer(1, n));
    problem.A[0] += std::max<std::int64_t>(0, problem.K - quotient_sum(problem, 1));
    rng.shuffle(problem.A);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.A.size() != static_cast<std::size_t>(problem.N) || problem.A.empty() ||
        problem.A.size() > kMaxLength) {
      return failure("\"A\": expected \"N\" numbers, 1 to {}, found {}", kMaxLength,
                     problem.A.size());
    }
    for (const std::int64_t a : problem.A) {
      if (auto sound = within("A", a, 1, kMaxNumber); !sound) return sound;
    }
    return within("K", problem.K, 1, quotient_sum(problem, 1));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {} positive integers:\n"
        "{}\n"
        "Divide each of them by a positive integer L, round every quotient down, and add the "
        "results. Find the largest L for which the sum is at least {}.\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.A), problem.K);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    if (answer <= 0) return kMalformedReward;
    return answer > right ? kInvalidReward : maximise_reward(answer, right, kBeta);
  }

  static Answer solve(const Problem& problem) {
    std::int64_t low = 1;
    std::int64_t high = std::ranges::max(problem.A);
    while (low < high) {
      const std::int64_t middle = high - (high - low) / 2;
      if (quotient_sum(problem, middle) >= problem.K) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, std::ranges::max(problem.A));
  }

  // What L would be if quotients were not rounded.
  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the sum divided by K", format_answer(quotient_sum(problem, 1) / problem.K)}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(MaximumDivisor);

}  // namespace
}  // namespace redqueen
