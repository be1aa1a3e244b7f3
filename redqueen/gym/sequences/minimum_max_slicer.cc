#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct Minimum_MaxSlicer {
  static constexpr Card card{
      .name = "Minimum_MaxSlicer",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task = "Cut an array into M contiguous parts such that the greatest sum of a part is least.",
      .levels =
          "The array grows from 4 numbers by a tenth and one a level. Beyond level 75 it would be "
          "too long to read.",
      .rewards =
          "-1 malformed, -0.5 not the last places of M parts, else (least greatest sum / greatest "
          "sum)^3.",
      .differences =
          "Of fewer than 10 numbers, one cut alone is best, and those that seldom are come more "
          "often. From 6 numbers on, a problem is drawn again that is solved by parts of equal "
          "length, or by closing a part once it reaches or would pass the mean sum.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "At level 0 there are 3 ways to cut, at level 1 there are 6. At level 2 there are 10, of "
          "which seven can be best where the rules fail.",
      .guess_until_level = 2,
      .source = "A standard task on binary search, as Luogu P1182.",
      .max_level = 75,
  };

  static constexpr double kBeta = 3.0;
  static constexpr int kFewNumbers = 6;
  static constexpr int kManyNumbers = 10;
  static constexpr int kDraws = 500;
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<std::int64_t> A;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, M, A, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = 0, .A = {}, .gold_answer = 0};
    for (int draw = 0; draw < kDraws; ++draw) {
      if (draw == 0 || config.N >= kManyNumbers) {
        problem.M = static_cast<int>(rng.integer(3, std::max(3, config.N / 2)));
      }
      problem.A = draw_numbers(config.N, 1, config.N, rng);
      problem.gold_answer = least_greatest_sum(problem);
      if (config.N >= kFewNumbers && some_rule_is_best(problem)) continue;
      if (config.N < kManyNumbers) {
        if (!only_one_is_best(problem)) continue;
        if (config.N >= kFewNumbers && !rng.chance(share_kept(solve(problem)))) continue;
      }
      return problem;
    }
    throw Retry();
  }

  // All numbers are uniform, and M is uniform in 3 … N/2.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = 0, .A = {}, .gold_answer = 0};
    problem.M = static_cast<int>(rng.integer(3, std::max(3, config.N / 2)));
    problem.A = draw_numbers(config.N, 1, config.N, rng);
    problem.gold_answer = least_greatest_sum(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(within("M", problem.M, 1, problem.N));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 1, kMaxValue));
    return reference_is("gold_answer", problem.gold_answer, least_greatest_sum(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {} positive integers, with places from 0:\n"
        "{}\n"
        "Cut it into exactly {} contiguous parts, each with at least one element, such that the "
        "greatest sum of the elements of a part is as small as possible. Every element belongs to "
        "one part.\n"
        "Answer with the last place of each part, from left to right, on one line, separated by "
        "spaces: {} ascending integers, the last of which is {}.",
        problem.N, with_indices("A", problem.A), problem.M, problem.M, problem.N - 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.M || answer.back() != problem.N - 1 ||
        !are_ascending_indices(problem.N, answer)) {
      return kInvalidReward;
    }
    const std::int64_t greatest = greatest_sum(problem, answer);
    return minimise_reward(greatest, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return filled(problem, problem.gold_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer ends = rng.sample(0, problem.N - 2, static_cast<std::size_t>(problem.M) - 1);
    std::ranges::sort(ends);
    ends.push_back(problem.N - 1);
    return ends;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::int64_t mean = mean_sum(problem);
    return {{"parts that do not pass the mean sum", filled(problem, mean)},
            {"parts that reach the mean sum", reaching(problem, mean)},
            {"parts of equal length, shorter ones first", equal_parts(problem, 0)},
            {"parts of equal length, longer ones first", equal_parts(problem, problem.M - 1)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // The rules, one after another: most draws fall to the first.
  static bool some_rule_is_best(const Problem& problem) {
    const auto is_best = [&](const Answer& ends) {
      return greatest_sum(problem, ends) == problem.gold_answer;
    };
    const std::int64_t mean = mean_sum(problem);
    return is_best(filled(problem, mean)) || is_best(reaching(problem, mean)) ||
           is_best(equal_parts(problem, 0)) || is_best(equal_parts(problem, problem.M - 1));
  }

  // Of few numbers, some cuts are much more often than others the best one where the rules fail.
  // This evens them out.
  static double share_kept(const Answer& ends) {
    struct Kept {
      std::array<std::int64_t, 3> ends;
      double share;
    };
    static constexpr std::array<Kept, 5> kCommon{{{{0, 2, 5}, 0.28},
                                                  {{1, 4, 6}, 0.12},
                                                  {{0, 2, 6}, 0.5},
                                                  {{0, 3, 6}, 0.55},
                                                  {{2, 4, 7}, 0.7}}};
    for (const Kept& kept : kCommon) {
      if (std::ranges::equal(kept.ends, ends)) return kept.share;
    }
    return 1.0;
  }

  static std::int64_t greatest_sum(const Problem& problem, const Answer& ends) {
    std::int64_t greatest = 0;
    std::int64_t first = 0;
    for (const std::int64_t last : ends) {
      std::int64_t sum = 0;
      for (; first <= last; ++first) sum += problem.A[first];
      greatest = std::max(greatest, sum);
    }
    return greatest;
  }

  static std::int64_t mean_sum(const Problem& problem) {
    const std::int64_t total = std::accumulate(problem.A.begin(), problem.A.end(), std::int64_t{0});
    return (total + problem.M - 1) / problem.M;
  }

  static Answer equal_parts(const Problem& problem, std::int64_t rounding) {
    Answer ends;
    ends.reserve(problem.M);
    for (std::int64_t part = 1; part <= problem.M; ++part) {
      ends.push_back((problem.N * part + rounding) / problem.M - 1);
    }
    return ends;
  }

  // Closing every part as late, and as early, as the least greatest sum allows gives the same cut.
  static bool only_one_is_best(const Problem& problem) {
    Problem mirrored = problem;
    std::ranges::reverse(mirrored.A);
    const Answer from_right = solve(mirrored);
    const Answer from_left = solve(problem);
    for (int part = 0; part + 1 < problem.M; ++part) {
      if (from_left[part] != problem.N - 2 - from_right[problem.M - 2 - part]) return false;
    }
    return true;
  }

  // Parts as long as their sums do not pass the bound, but for the last, which takes what is left;
  // where few elements are left, one each.
  static Answer filled(const Problem& problem, std::int64_t bound) {
    Answer ends;
    ends.reserve(problem.M);
    std::int64_t sum = problem.A[0];
    for (std::int64_t i = 1; i < problem.N && std::ssize(ends) < problem.M - 1; ++i) {
      if (sum + problem.A[i] > bound || problem.N - i == problem.M - 1 - std::ssize(ends)) {
        ends.push_back(i - 1);
        sum = 0;
      }
      sum += problem.A[i];
    }
    ends.push_back(problem.N - 1);
    return ends;
  }

  static Answer reaching(const Problem& problem, std::int64_t mean) {
    Answer ends;
    ends.reserve(problem.M);
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i + 1 < problem.N && std::ssize(ends) < problem.M - 1; ++i) {
      sum += problem.A[i];
      if (sum >= mean || problem.N - 1 - i == problem.M - 1 - std::ssize(ends)) {
        ends.push_back(i);
        sum = 0;
      }
    }
    ends.push_back(problem.N - 1);
    return ends;
  }

  // Bounds are tried by halving; parts are closed as late as a bound allows.
  static std::int64_t least_greatest_sum(const Problem& problem) {
    const auto parts = [&](std::int64_t bound) {
      std::int64_t count = 1;
      std::int64_t sum = 0;
      for (const std::int64_t value : problem.A) {
        if (sum + value > bound) {
          ++count;
          sum = 0;
        }
        sum += value;
      }
      return count;
    };
    std::int64_t low = *std::ranges::max_element(problem.A);
    std::int64_t high = std::accumulate(problem.A.begin(), problem.A.end(), std::int64_t{0});
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (parts(middle) <= problem.M) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};
REDQUEEN_ENVIRONMENT(Minimum_MaxSlicer);

}  // namespace
}  // namespace redqueen
