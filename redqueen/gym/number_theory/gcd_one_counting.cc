#include <algorithm>
#include <cmath>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/box.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct GCDOne_Counting : StoredCount<1> {
  static constexpr Card card{
      .name = "GCDOne_Counting",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the pairs of integers in 1..N and 1..M that have no common factor.",
      .levels =
          "The bounds lie below 5, half as much more a level; up to level 30 counting takes "
          "milliseconds.",
      .rewards =
          "-1 malformed or not positive, else (smaller / larger of answer and count)^10: the "
          "rounded "
          "estimate 6/pi^2 N M earns more than nine tenths in the mean from level 10 on.",
      .differences =
          "Both bounds are drawn from the upper half of their range, so that a level has its "
          "size, and bounds for which the rounded estimate 6/pi^2 N M is the count are drawn "
          "again.",
      .max_level = 30,
  };

  static constexpr int kLargest = 1'000'000;
  static constexpr int kEstimateFrom = 10;  // below, too few pairs of bounds would be left

  using Config = BoxConfig;
  struct Problem {
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, M, reference_answer)
  };

  static Config at_level(int level, Rng&) { return box_at_level(level); }

  static Problem generate(const Config& config, Rng& rng) {
    const Box box = draw_box(config, 2, rng);
    Problem problem{.N = box.N, .M = box.M, .reference_answer = 0};
    problem.reference_answer = coprime_pairs(problem.N, problem.M);
    if (config.MAX_N_M >= kEstimateFrom && estimate(problem) == problem.reference_answer) {
      throw Retry();
    }
    return problem;
  }

  // Uniform bounds.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = 0, .M = 0, .reference_answer = 0};
    problem.N = rng.integer(2, config.MAX_N_M);
    problem.M = rng.integer(2, config.MAX_N_M);
    problem.reference_answer = coprime_pairs(problem.N, problem.M);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kLargest); !sound) return sound;
    if (auto sound = within("M", problem.M, 1, kLargest); !sound) return sound;
    if (problem.reference_answer != coprime_pairs(problem.N, problem.M)) {
      return failure("\"reference_answer\": {} is not the number of pairs",
                     problem.reference_answer);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "How many pairs (x, y) of integers with 1 ≤ x ≤ {} and 1 ≤ y ≤ {} have the greatest "
        "common divisor 1? The order counts: (1, 2) and (2, 1) are different pairs, and (1, 1) "
        "is one of them.\n"
        "Answer with one integer.",
        problem.N, problem.M);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the estimate 6/pi^2 N M", format_answer(estimate(problem))}};
  }

 private:
  // Inclusion and exclusion over the common divisor: the sum of mu(d) floor(N/d) floor(M/d).
  static std::int64_t coprime_pairs(std::int64_t n, std::int64_t m) {
    const int least = static_cast<int>(std::min(n, m));
    const std::vector<int> moebius = moebius_up_to(least);
    std::int64_t pairs = 0;
    for (int d = 1; d <= least; ++d) pairs += moebius[d] * (n / d) * (m / d);
    return pairs;
  }

  static std::int64_t estimate(const Problem& problem) {
    constexpr double kShare = 0.60792710185402662866;  // 6/pi^2
    return std::llround(kShare * static_cast<double>(problem.N * problem.M));
  }
};
REDQUEEN_ENVIRONMENT(GCDOne_Counting);

}  // namespace
}  // namespace redqueen
