#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SegmentTreeSortingCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "SegmentTreeSortingCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the ways to sort a permutation of 2^N numbers by exchanging two aligned blocks of "
          "equal length, each length at most once.",
      .levels =
          "N is 2 and grows by one a level, so that the permutation doubles. Beyond level 12 the "
          "prompt would be too long.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10, which is 1 "
          "only if right.",
      .differences =
          "Two kinds of exchanges at least make the disorder, and counts are drawn evenly among "
          "those that come up; else the count is a factorial mostly. Only the exact count is "
          "solved.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "The count is a sum of factorials up to N!: at levels 0 to 3 few different ones occur.",
      .guess_until_level = 3,
      .source = "Sorting (排序), SDOI 2015",
      .max_level = 12,
  };

  static constexpr int kMaxKinds = 14;
  static constexpr int kFewKinds = 4;  // up to here, few different counts occur
  static constexpr int kDraws = 8;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<int> A;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, A, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int draws = config.N <= kFewKinds ? 3 * kDraws : kDraws;
    return draw_spread(draws, rng, [&] {
      Problem problem{.N = config.N};
      problem.A = disorder(config.N, rng);
      problem.reference_answer = count(problem);
      const std::int64_t answer = problem.reference_answer;
      return std::optional(std::pair(answer, std::move(problem)));
    });
  }

  // Some kinds of exchanges, one or more, each once and in random order, disorder the array.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n};
    problem.A.resize(std::size_t{1} << n);
    std::iota(problem.A.begin(), problem.A.end(), 1);
    const auto used = static_cast<std::size_t>(rng.integer(1, n));
    for (const std::int64_t kind : rng.sample(1, n, used)) exchange(problem.A, n, kind, rng);
    problem.reference_answer = count(problem);
    return problem;
  }

  // Two different blocks of this kind.
  static void exchange(std::vector<int>& array, int n, std::int64_t kind, Rng& rng) {
    const std::int64_t length = std::int64_t{1} << (kind - 1);
    const std::int64_t blocks = std::int64_t{1} << (n - kind + 1);
    const std::int64_t one = rng.integer(0, blocks - 1);
    std::int64_t other = rng.integer(0, blocks - 2);
    if (other >= one) ++other;
    std::swap_ranges(array.begin() + one * length, array.begin() + (one + 1) * length,
                     array.begin() + other * length);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxKinds));
    const int size = 1 << problem.N;
    if (std::ssize(problem.A) != size) {
      return failure(R"("A": expected 2^"N" = {} numbers, found {})", size, problem.A.size());
    }
    std::vector<char> used(problem.A.size());
    for (const int value : problem.A) {
      if (value < 1 || value > size || std::exchange(used[value - 1], 1) == 1) {
        return failure("\"A\": not a permutation of 1 to {}, because of {}", size, value);
      }
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {1} numbers, a permutation of 1 to {1}:\n"
        "{2}\n"
        "There are {0} kinds of operations. For i = 1 to {0}, an operation of kind i cuts the "
        "current array into 2^({0}-i+1) consecutive blocks of 2^(i-1) numbers each, from left to "
        "right, and exchanges two different ones of these blocks, which are free to choose. Each "
        "kind may be used once or not at all, and the kinds may be used in any order. How many "
        "sequences of operations make the array ascending (1, 2, …, {1})? Two sequences are "
        "different if they differ in length or if at some step they use different kinds or "
        "exchange different pairs of places; exchanging blocks at two places is the same whichever "
        "of the two is named first.\n"
        "Answer with one integer, the exact number.",
        problem.N, problem.A.size(), format_answer(problem.A));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::vector<NamedAnswer> guesses;
    std::int64_t factorial = 1;
    for (int i = 1; i <= problem.N; ++i) {
      factorial *= i;
      if (i <= 4) guesses.push_back({fmt::format("{}!", i), format_answer(factorial)});
    }
    guesses.push_back({"N!", format_answer(factorial)});
    guesses.push_back({"twice N!", format_answer(2 * factorial)});
    return guesses;
  }

 private:
  // The sorted array after operations of different kinds, longest blocks first.
  static std::vector<int> disorder(int n, Rng& rng) {
    std::vector<int> array(std::size_t{1} << n);
    std::iota(array.begin(), array.end(), 1);
    const std::int64_t used = rng.integer(std::min(2, n), n);
    std::vector<std::int64_t> kinds = rng.sample(1, n, static_cast<std::size_t>(used));
    std::ranges::sort(kinds, std::greater());
    for (const std::int64_t kind : kinds) exchange(array, n, kind, rng);
    return array;
  }

  static std::int64_t count(const Problem& problem) {
    std::vector<int> values;
    values.reserve(problem.A.size());
    for (const int a : problem.A) values.push_back(a - 1);
    return sortings(std::move(values), 1);
  }

  // Each order of the same operations counts, as operations of short blocks can be carried along
  // with those of long ones. So kinds are taken from the shortest, and every block of 2^i that
  // results must hold consecutive numbers; the blocks then stand for single numbers, half as many.
  // Among the pairs that are no such block, one exchange can mend one pair or two.
  // `next_factorial` is one more than the operations so far.
  static std::int64_t sortings(std::vector<int> values, int next_factorial) {
    while (values.size() > 1) {
      std::array<std::size_t, 2> bad{};
      std::size_t found = 0;
      for (std::size_t i = 0; i < values.size(); i += 2) {
        if (is_block(values[i], values[i + 1])) continue;
        if (found == bad.size()) return 0;
        bad[found++] = i;
      }
      if (found == 1) {
        std::swap(values[bad[0]], values[bad[0] + 1]);
        if (!is_block(values[bad[0]], values[bad[0] + 1])) return 0;
        return sortings(halved(values), next_factorial + 1);
      }
      if (found == 2) {
        std::int64_t sum = 0;
        for (const std::size_t one : {bad[0], bad[0] + 1}) {
          for (const std::size_t other : {bad[1], bad[1] + 1}) {
            std::swap(values[one], values[other]);
            if (is_block(values[bad[0]], values[bad[0] + 1]) &&
                is_block(values[bad[1]], values[bad[1] + 1])) {
              sum += sortings(halved(values), next_factorial + 1);
            }
            std::swap(values[one], values[other]);
          }
        }
        return sum;
      }
      values = halved(values);
    }
    std::int64_t factorial = 1;
    for (int i = 2; i < next_factorial; ++i) factorial *= i;
    return factorial;
  }

  static bool is_block(int first, int second) { return first % 2 == 0 && second == first + 1; }

  static std::vector<int> halved(const std::vector<int>& values) {
    std::vector<int> half(values.size() / 2);
    for (std::size_t i = 0; i < half.size(); ++i) half[i] = values[2 * i] / 2;
    return half;
  }
};
REDQUEEN_ENVIRONMENT(SegmentTreeSortingCounting);

}  // namespace
}  // namespace redqueen
