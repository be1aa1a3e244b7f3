#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct PalindromicSubstringNumberCounting {
  static constexpr Card card{
      .name = "PalindromicSubstringNumberCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the numbers of an interval whose decimal digits have two or more neighbours that "
          "read the same in both directions.",
      .levels =
          "The bound on the interval's end starts at 20 and grows by a half a level. Beyond level "
          "97 it leaves 62 bits.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10, which is 1 "
          "only if right; an answer of 0 is right or earns nothing.",
      .differences =
          "The interval's end lies in the upper half of its range, and counts are drawn evenly "
          "among those that come up, from level 1 on without 0. Only the exact count is solved.",
      .small_answer_space =
          "The numbers counted below 100 are the nine multiples of 11: up to level 3 the bound "
          "allows six of them at most, and one in ten, rounded down, is right for two problems in "
          "three. Higher up, a simple share earns without being right: a quarter of the numbers "
          "earns 0.4 in the mean at levels 8 to 10, and all of them 0.4 at level 57 and 0.8 at "
          "level 97, because long numbers nearly all are counted.",
      .guess_until_level = 3,
      .source = "Cute numbers (萌数), Luogu P3413",
      .max_level = 97,
  };

  static constexpr std::int64_t kMaxNumber = std::int64_t{1} << 62;
  static constexpr int kDraws = 16;

  struct Config {
    std::int64_t MAX_R = 0;
    REDQUEEN_FIELDS(MAX_R)
  };
  struct Problem {
    std::int64_t MAX_R = 0;
    std::int64_t R = 0;
    std::int64_t L = 0;
    REDQUEEN_FIELDS(MAX_R, R, L)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_R = grow_by_half(20, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<std::int64_t, Problem>> {
      Problem problem{.MAX_R = config.MAX_R};
      problem.R = draw_upper_half(20, config.MAX_R, rng);
      problem.L = rng.integer(1, problem.R - 1);
      const std::int64_t good = count(problem);
      if (good == 0 && config.MAX_R > 20) return std::nullopt;
      return std::pair(good, problem);
    });
  }

  // R is uniform up to its bound, L below R.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_R = config.MAX_R, .R = rng.integer(20, config.MAX_R)};
    problem.L = rng.integer(1, problem.R - 1);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("R", problem.R, 1, kMaxNumber));
    return within("L", problem.L, 1, problem.R);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Write a positive integer in decimal, without leading zeros. It is called good if two or "
        "more consecutive digits of it form a palindrome, which reads the same from left to right "
        "and from right to left: 1221, 355 and 4070 are good (all of it, 55, 070), 1203 is not. "
        "How many integers x with {} ≤ x ≤ {} are good?\n"
        "Answer with one integer, the exact number.",
        problem.L, problem.R);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return count_reward(answer, solve(problem), 0);
  }

  static Answer solve(const Problem& problem) { return count(problem); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t numbers = problem.R - problem.L + 1;
    return {{"one in ten", format_answer(numbers / 10)},
            {"one in four", format_answer(numbers / 4)},
            {"all of them", format_answer(numbers)}};
  }

 private:
  static std::int64_t count(const Problem& problem) {
    return problem.R - problem.L + 1 - others_below(problem.R + 1) + others_below(problem.L);
  }

  // The positive integers below `bound` that are not good: no digit equals one of the two before
  // it, because the middle of a palindrome is two equal digits or a digit between two equal ones.
  static std::int64_t others_below(std::int64_t bound) {
    std::array<int, 20> digits{};
    int length = 0;
    for (std::int64_t rest = bound; rest > 0; rest /= 10) {
      digits[length++] = static_cast<int>(rest % 10);
    }
    // With fewer digits: 9, 9·9, 9·9·8, …
    std::int64_t sum = 0;
    std::int64_t ways = 9;
    for (int shorter = 1; shorter < length; ++shorter) {
      sum += ways;
      ways *= shorter == 1 ? 9 : 8;
    }
    // With as many digits, by the first place that is below the bound's.
    int before = -1;
    int two_before = -1;
    for (int place = length - 1; place >= 0; --place) {
      int smaller = digits[place];
      if (place == length - 1) --smaller;  // no leading zero
      if (before >= 0 && before < digits[place]) --smaller;
      if (two_before >= 0 && two_before < digits[place] && two_before != before) --smaller;
      std::int64_t rest = smaller;
      for (int later = place - 1; later >= 0; --later) rest *= later == length - 2 ? 9 : 8;
      sum += rest;
      if (digits[place] == before || digits[place] == two_before) break;
      two_before = before;
      before = digits[place];
    }
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(PalindromicSubstringNumberCounting);

}  // namespace
}  // namespace redqueen
