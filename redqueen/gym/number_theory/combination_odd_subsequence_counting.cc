#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct CombinationOddSubsequenceCounting {
  static constexpr Card card{
      .name = "CombinationOddSubsequenceCounting",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the subsequences whose neighbours have odd binomial coefficients.",
      .levels =
          "The sequence grows from 3 numbers by a tenth and one a level; its numbers lie below "
          "twice its length. Beyond level 50 it is too long.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the count.",
      .differences =
          "A random part of the sequence is put into descending order and the counts are spread; "
          "in random order they are small, and 0 or 1 would often be right.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "At level 0 the only possible counts are 0, 1 and 2.",
      .guess_until_level = 0,
      .source = "Gift (吉夫特), CTSC 2017",
      .version = 2,
      .max_level = 50,
  };

  static constexpr int kMaxLength = 4000;  // counts then stay far below 64 bits
  static constexpr int kDraws = 6;
  static constexpr int kShortSequence = 8;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    REDQUEEN_FIELDS(N, A)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int draws = config.N < kShortSequence ? 2 * kDraws : kDraws;
    return draw_spread(draws, rng, [&]() -> std::optional<std::pair<std::int64_t, Problem>> {
      Problem problem{.N = config.N, .A = {}};
      problem.A = rng.sample(1, 2 * std::int64_t{config.N} - 1, static_cast<std::size_t>(config.N));
      sort_part_descending(problem.A, rng.real(), rng);
      const std::int64_t count = count_odd(problem);
      return std::pair(count, std::move(problem));
    });
  }

  // The numbers at a random share of the places.
  static void sort_part_descending(std::vector<std::int64_t>& numbers, double share, Rng& rng) {
    std::vector<std::size_t> places;
    std::vector<std::int64_t> part;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!rng.chance(share)) continue;
      places.push_back(i);
      part.push_back(numbers[i]);
    }
    std::ranges::sort(part, std::greater<>());
    for (std::size_t i = 0; i < places.size(); ++i) numbers[places[i]] = part[i];
  }

  // Different numbers in random order.
  static Problem published(const Config& config, Rng& rng) {
    return {.N = config.N,
            .A = rng.sample(1, 2 * std::int64_t{config.N} - 1, static_cast<std::size_t>(config.N))};
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxLength); !sound) return sound;
    if (problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" numbers, found {}", problem.A.size());
    }
    std::vector<char> seen(static_cast<std::size_t>(2 * problem.N), 0);
    for (const std::int64_t a : problem.A) {
      if (auto sound = within("A", a, 1, 2 * problem.N - 1); !sound) return sound;
      if (std::exchange(seen[a], 1) != 0) return failure("\"A\": {} occurs twice", a);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a sequence of {} different numbers:\n"
        "{}\n"
        "Count its subsequences a[1], …, a[k] of length k ≥ 2 for which the product of binomial "
        "coefficients C(a[1], a[2])·C(a[2], a[3])·…·C(a[k-1], a[k]) is odd. A subsequence keeps "
        "the order of the sequence but may skip numbers. C(x, y) is 0 if y > x.\n"
        "Answer with the exact count, one integer.",
        problem.N, format_answer(problem.A));
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  // C(x, y) is odd just when the binary ones of y are among those of x (Lucas).
  static Answer solve(const Problem& problem) { return count_odd(problem); }

  static std::int64_t count_odd(const Problem& problem) {
    const std::vector<std::int64_t>& a = problem.A;
    std::vector<std::int64_t> starting(a.size(),
                                       1);  // subsequences that start there, of any length
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = i + 1; j < a.size(); ++j) {
        if ((a[i] & a[j]) == a[j]) starting[i] += starting[j];
      }
    }
    return std::accumulate(starting.begin(), starting.end(), -std::int64_t{problem.N});
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(CombinationOddSubsequenceCounting);

}  // namespace
}  // namespace redqueen
