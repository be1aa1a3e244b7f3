#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct BucketSorting {
  static constexpr Card card{
      .name = "BucketSorting",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Name the number that occurs most often in a list.",
      .levels =
          "The list grows from 5 numbers by a tenth and one a level, the greatest number from 2 by "
          "one. Beyond level 80 the list would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 a number that is not in the list, 0 one that occurs less often, 1 "
          "right.",
      .differences =
          "One number alone is the commonest, by one occurrence; each number is as likely. From 7 "
          "numbers on it is neither the first that comes twice, nor the first or last of the list. "
          "Uniform lists have ties, and any number that comes twice was a good guess.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "At level L there are L + 3 numbers. An element taken at random is the commonest "
          "number as often as that comes: at level 2, which has 7 elements of 5 numbers, three "
          "times. Up to level 7 it is more than one element in five.",
      .guess_until_level = 7,
      .max_level = 80,
  };

  static constexpr int kFewNumbers = 7;
  static constexpr int kDraws = 300;

  struct Config {
    int N = 0;
    int MAX = 0;
    REDQUEEN_FIELDS(N, MAX)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> array;
    REDQUEEN_FIELDS(N, array)
  };
  using Answer = std::int64_t;

  // Runs of equal numbers in the sorted list.
  struct Counts {
    std::vector<std::int64_t> sorted;
    std::int64_t commonest = 0;
    std::int64_t most = 0;

    explicit Counts(std::vector<std::int64_t> list) : sorted(std::move(list)) {
      std::ranges::sort(sorted);
      for (auto run = sorted.begin(); run != sorted.end();) {
        const auto next = std::find_if(run, sorted.end(), [&](auto n) { return n != *run; });
        if (next - run > most) {
          most = next - run;
          commonest = *run;
        }
        run = next;
      }
    }

    std::int64_t of(std::int64_t number) const {
      return std::ssize(std::ranges::equal_range(sorted, number));
    }
  };

  static Config at_level(int level, Rng&) {
    return {.N = grow_by_tenth(5, level), .MAX = 2 + level};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] { return drawn(config, rng); };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (config.N < kFewNumbers) return true;
      const Counts counts(problem.array);
      return std::ranges::none_of(rules(problem), [&](const SimpleRule<Answer>& rule) {
        return counts.of(rule.answer) == counts.most;
      });
    });
  }

  // All numbers are uniform.
  static Problem published(const Config& config, Rng& rng) {
    return {.N = config.N, .array = draw_numbers(config.N, 0, config.MAX, rng)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, 10 * kMaxShownNumbers));
    return check_numbers("array", problem.array, problem.N, 0, 1'000'000'000);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a list of {} integers:\n"
        "{}\n"
        "Which number occurs most often in it? If several numbers occur equally often and more "
        "often than all others, name any one of them.\n"
        "Answer with this number (not with how often it occurs).",
        problem.N, format_answer(problem.array));
  }

  static Counts measure(const Problem& problem) { return Counts(problem.array); }

  static double score(const Problem&, const Answer& answer, const Counts& counts) {
    const std::int64_t times = counts.of(answer);
    if (times == 0) return kInvalidReward;
    return exact_reward(times == counts.most);
  }

  static Answer solve(const Problem& problem) { return Counts(problem.array).commonest; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return problem.array[rng.below(problem.array.size())];
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<std::int64_t> seen;
    Answer first_twice = problem.array[0];
    for (const std::int64_t number : problem.array) {
      if (std::ranges::find(seen, number) != seen.end()) {
        first_twice = number;
        break;
      }
      seen.push_back(number);
    }
    return {{"the first that comes twice", first_twice},
            {"the first of the list", problem.array.front()},
            {"the last of the list", problem.array.back()}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"the greatest", format_answer(*std::ranges::max_element(problem.array))});
    named.push_back({"the smallest", format_answer(*std::ranges::min_element(problem.array))});
    return named;
  }

 private:
  // The commonest number comes `most` times, another once less, all others at most so often. 0 and
  // MAX come where there is room, so that the greatest and the smallest are no better guesses than
  // others.
  static Problem drawn(const Config& config, Rng& rng) {
    const int others = config.MAX;
    const std::int64_t most = (config.N + 2 * others) / (others + 1);  // with less there is no room
    const std::int64_t commonest = rng.integer(0, config.MAX);
    const std::int64_t next = (commonest + rng.integer(1, config.MAX)) % (config.MAX + 1);
    Problem problem{.N = config.N, .array = {}};
    problem.array.assign(most, commonest);
    problem.array.insert(problem.array.end(), static_cast<std::size_t>(most) - 1, next);
    std::vector<std::int64_t> pool;
    for (std::int64_t number = 0; number <= config.MAX; ++number) {
      if (number == commonest || number == next) continue;
      const bool must_come =
          (number == 0 || number == config.MAX) && std::ssize(problem.array) < config.N;
      if (must_come) problem.array.push_back(number);
      pool.insert(pool.end(), static_cast<std::size_t>(most - 1 - (must_come ? 1 : 0)), number);
    }
    rng.shuffle(pool);
    pool.resize(static_cast<std::size_t>(config.N) - problem.array.size());
    problem.array.insert(problem.array.end(), pool.begin(), pool.end());
    rng.shuffle(problem.array);
    return problem;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(BucketSorting);

}  // namespace
}  // namespace redqueen
