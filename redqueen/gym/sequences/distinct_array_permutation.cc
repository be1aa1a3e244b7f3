#include <algorithm>
#include <bit>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct DistinctArrayPermutation {
  static constexpr Card card{
      .name = "DistinctArrayPermutation",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task =
          "Rearrange an array such that over any choice of places, but for none and all, the sums "
          "before and after differ.",
      .levels =
          "The array has 3 numbers and one more a level, up to 22 at level 19, where it stops "
          "growing.",
      .rewards = "-1 malformed, -0.5 not the numbers of the array, 0 two sums are equal, 1 right.",
      .differences =
          "From 5 numbers on, a problem is drawn again that is solved by moving all numbers by one "
          "place, by reading them backwards, or by sorting them.",
      .small_answer_space =
          "One rule solves every problem up to level 19, the highest, and so does its mirror "
          "image: put the next larger number in the place of each, and the smallest in that of the "
          "largest. The task is to find it.",
      .guess_until_level = 19,
      .source = "Codeforces 891B, Gluttony.",
      .max_level = 19,
  };

  static constexpr int kFewNumbers = 5;
  static constexpr int kDraws = 100;
  static constexpr int kMaxNumbers = 60;
  static constexpr std::int64_t kMaxValue = 1000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> array;
    REDQUEEN_FIELDS(N, array)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = std::min(3 + level, 22)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return published(config, rng); },
        [&](const Problem& problem) {
          return config.N < kFewNumbers || !some_rule_solves<DistinctArrayPermutation>(problem);
        });
  }

  // Different numbers below 2N, in random order.
  static Problem published(const Config& config, Rng& rng) {
    return {.N = config.N,
            .array = rng.sample(0, 2 * config.N - 1, static_cast<std::size_t>(config.N))};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxNumbers));
    RETURN_IF_ERROR(check_numbers("array", problem.array, problem.N, 0, kMaxValue));
    Answer sorted = problem.array;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) == sorted.end()) return {};
    return failure("\"array\": a number comes twice");
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array A of {0} different integers, A[1] to A[{0}]:\n"
        "{1}\n"
        "Rearrange these numbers into an array B[1] to B[{0}] such that, for every set of places "
        "that is neither empty nor all of 1 to {0}, the sum of A over the places of the set and "
        "the sum of B over the same places differ. (So no number may keep its place.) This can "
        "always be done; any such B is right.\n"
        "Answer with B[1] to B[{0}] on one line, separated by spaces.",
        problem.N, format_answer(problem.array));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.array.size()) return kInvalidReward;
    Answer expected = problem.array;
    Answer given = answer;
    std::ranges::sort(expected);
    std::ranges::sort(given);
    if (given != expected) return kInvalidReward;
    return exact_reward(!some_sums_are_equal(problem.array, answer));
  }

  static Answer solve(const Problem& problem) { return shifted(problem, 1); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = problem.array;
    rng.shuffle(answer);
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer left = problem.array;
    std::rotate(left.begin(), left.begin() + 1, left.end());
    Answer right = problem.array;
    std::rotate(right.begin(), right.end() - 1, right.end());
    Answer sorted = problem.array;
    std::ranges::sort(sorted);
    return {{"each number one place to the left", left},
            {"each number one place to the right", right},
            {"backwards", Answer(problem.array.rbegin(), problem.array.rend())},
            {"ascending", sorted},
            {"descending", Answer(sorted.rbegin(), sorted.rend())}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"the next smaller number", format_answer(shifted(problem, problem.N - 1))});
    return named;
  }

 private:
  // In the place of each number the one so many ranks above it, cyclically. With one rank, only the
  // place of the largest number loses, as much as all others gain together.
  static Answer shifted(const Problem& problem, int ranks) {
    Answer sorted = problem.array;
    std::ranges::sort(sorted);
    Answer answer;
    for (const std::int64_t number : problem.array) {
      const auto rank = std::ranges::lower_bound(sorted, number) - sorted.begin();
      answer.push_back(sorted[(rank + ranks) % problem.N]);
    }
    return answer;
  }

  // Whether some of the differences, neither none nor all, add up to 0. All do, so what is left out
  // does as well: a choice without the first place is enough. The sums of such choices are marked
  // as bits, shifted by the sum of all that is negative.
  static bool some_sums_are_equal(const Answer& a, const Answer& b) {
    std::int64_t zero = 0;
    std::int64_t most = 0;
    for (std::size_t i = 1; i < a.size(); ++i) {
      zero += std::max<std::int64_t>(a[i] - b[i], 0);
      most += std::abs(a[i] - b[i]);
    }
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(most) / 64 + 2);
    std::vector<std::uint64_t> next;
    const auto mark = [](std::vector<std::uint64_t>& bits, std::int64_t sum) {
      bits[sum / 64] |= std::uint64_t{1} << (sum % 64);
    };
    for (std::size_t i = 1; i < a.size(); ++i) {
      const std::int64_t difference = b[i] - a[i];
      next = sums;
      join_shifted(next, sums, difference);
      mark(next, zero + difference);
      std::swap(sums, next);
    }
    return (sums[zero / 64] >> (zero % 64) & 1) != 0;
  }

  // Joins the bits of `from`, moved up by `shift` places, to `to`. What would leave it is 0.
  static void join_shifted(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from,
                           std::int64_t shift) {
    const auto words = static_cast<std::int64_t>(std::abs(shift) / 64);
    const auto bits = static_cast<int>(std::abs(shift) % 64);
    const std::int64_t size = std::ssize(from);
    const auto word = [&](std::int64_t i) { return i < 0 || i >= size ? 0 : from[i]; };
    for (std::int64_t i = 0; i < size; ++i) {
      if (shift >= 0) {
        to[i] |= word(i - words) << bits;
        if (bits > 0) to[i] |= word(i - words - 1) >> (64 - bits);
      } else {
        to[i] |= word(i + words) >> bits;
        if (bits > 0) to[i] |= word(i + words + 1) << (64 - bits);
      }
    }
  }
};
REDQUEEN_ENVIRONMENT(DistinctArrayPermutation);

}  // namespace
}  // namespace redqueen
