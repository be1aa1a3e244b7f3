#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct LongestMaxDiffBoundedInterval {
  static constexpr Card card{
      .name = "LongestMaxDiffBoundedInterval",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Find the longest contiguous block of an array whose largest and smallest element "
          "differ by at most K.",
      .levels =
          "The array grows from 3 numbers by a tenth and one a level. Beyond level 75 it would be "
          "too long to read.",
      .rewards =
          "-1 malformed, -0.5 not a block, -0.2 a greater difference than K, else (length / "
          "greatest length)^5.",
      .differences =
          "A block at a random place is drawn within narrow bounds, and K is such that it alone is "
          "longest. It is at an end of the array in few problems. From 5 numbers on, none is "
          "solved by the elements near the median.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "Of five numbers, at level 2, the longest block is one of five.",
      .guess_until_level = 2,
      .source = "POI 2010, Pilots.",
      .max_level = 75,
  };

  static constexpr double kTooDifferent = -0.2;
  static constexpr int kFewNumbers = 5;
  static constexpr int kDraws = 300;
  static constexpr int kDrawsOfABlock = 30;  // before another block is to be the longest
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::int64_t K = 0;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, A, K, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // the first place, and the one after the last

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    Answer block;
    for (int draw = 0; draw < kDraws; ++draw) {
      if (draw % kDrawsOfABlock == 0) block = draw_block(n, rng);
      Problem problem = drawn(n, block, rng);
      if (problem.gold_answer == 0) continue;
      if (n < kFewNumbers || length_of(near_median(problem)) < length_of(block)) return problem;
    }
    throw Retry();
  }

  // All numbers are uniform; K is uniform up to what all numbers but the extremes may differ by.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .A = draw_numbers(n, 0, n, rng), .K = 0, .gold_answer = 0};
    const auto [least, largest] = std::ranges::minmax(problem.A);
    problem.K = rng.integer(0, std::max<std::int64_t>(largest - least - 1, 0));
    problem.gold_answer = length_of(solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, -kMaxValue, kMaxValue));
    RETURN_IF_ERROR(within("K", problem.K, 0, 4 * kMaxValue));
    return reference_is("gold_answer", problem.gold_answer, length_of(solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {} integers, with places from 0:\n"
        "{}\n"
        "Find a contiguous block, as long as possible, whose largest element exceeds its smallest "
        "one by at most {}. If several are longest, any of them will do.\n"
        "Answer with two integers, separated by a space: the first place of the block, and the "
        "place after its last one (a block of the single place 0 is \"0 1\").",
        problem.N, with_indices("A", problem.A), problem.K);
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto answer = parse_int_list(text);
    if (answer && answer->size() != 2) return std::nullopt;
    return answer;
  }

  static double score(const Problem& problem, const Answer& answer) {
    const std::int64_t first = answer[0];
    const std::int64_t end = answer[1];
    if (first < 0 || end <= first || end > problem.N) return kInvalidReward;
    const auto [least, largest] =
        std::ranges::minmax(std::span(problem.A).subspan(first, end - first));
    if (largest - least > problem.K) return kTooDifferent;
    return maximise_reward(end - first, problem.gold_answer);
  }

  // A block that ends at each place begins where it must for the largest and smallest of its
  // elements; their candidates wait in two queues.
  static Answer solve(const Problem& problem) {
    std::vector<int> falling;  // places whose elements may become the largest
    std::vector<int> rising;
    falling.reserve(problem.A.size());
    rising.reserve(problem.A.size());
    std::size_t largest = 0;  // heads of the queues
    std::size_t least = 0;
    Answer best{0, 1};
    int first = 0;
    for (int i = 0; i < problem.N; ++i) {
      while (falling.size() > largest && problem.A[falling.back()] <= problem.A[i]) {
        falling.pop_back();
      }
      while (rising.size() > least && problem.A[rising.back()] >= problem.A[i]) rising.pop_back();
      falling.push_back(i);
      rising.push_back(i);
      while (problem.A[falling[largest]] - problem.A[rising[least]] > problem.K) {
        ++first;
        if (falling[largest] < first) ++largest;
        if (rising[least] < first) ++least;
      }
      if (i + 1 - first > length_of(best)) best = {first, i + 1};
    }
    return best;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::int64_t first = rng.integer(0, problem.N - 1);
    return {first, rng.integer(first + 1, problem.N)};
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::int64_t first = problem.N - 1;
    while (first > 0 && fits(problem, first - 1, problem.N)) --first;
    const std::int64_t middle = problem.N / 2;
    return {{"from the first place as far as it goes", {0, furthest(problem, 0)}},
            {"up to the last place", {first, problem.N}},
            {"from the middle as far as it goes", {middle, furthest(problem, middle)}},
            {"elements near the median", near_median(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Each block of a quarter to half of the array that is not at an end, and the shortest at both
  // ends, are equally likely.
  static Answer draw_block(std::int64_t n, Rng& rng) {
    const std::int64_t shortest = std::max<std::int64_t>(2, n / 4);
    const std::int64_t longest = std::max<std::int64_t>(2, (n + 1) / 2);
    std::int64_t inside = 0;
    for (std::int64_t length = shortest; length <= longest; ++length) {
      inside += std::max<std::int64_t>(n - length - 1, 0);
    }
    std::int64_t place = rng.integer(0, inside + 1);
    if (place == inside) return {0, shortest};
    if (place == inside + 1) return {n - shortest, n};
    std::int64_t length = shortest;
    while (place >= n - length - 1) place -= n - length++ - 1;
    return {place + 1, place + 1 + length};
  }

  // Of all blocks of its length, the given one has the least difference; K is between it and the
  // next. One of length 0 where another block has so small a difference.
  static Problem drawn(int n, const Answer& block, Rng& rng) {
    const std::int64_t first = block[0];
    const std::int64_t length = length_of(block);
    Problem problem{.N = n, .A = draw_numbers(n, 0, n, rng), .K = 0, .gold_answer = 0};
    const std::int64_t width = rng.integer(0, n / 2);
    const std::int64_t least = rng.integer(0, n - width);
    for (std::int64_t i = first; i < first + length; ++i) {
      problem.A[i] = rng.integer(least, least + width);
    }
    const std::int64_t wide = difference(problem, first, std::int64_t{n} + 1, length);
    std::int64_t next = std::int64_t{n} + 1;
    for (std::int64_t other = 0; other + length <= n; ++other) {
      if (other == first) continue;
      next = std::min(next, difference(problem, other, next, length));
      if (next <= wide) return problem;
    }
    problem.K = rng.integer(wide, next - 1);
    problem.gold_answer = length;
    return problem;
  }

  // Between the largest and the smallest element of a block, or anything from `enough` on. Both
  // ends come first, as neighbouring blocks differ there.
  static std::int64_t difference(const Problem& problem, std::int64_t first, std::int64_t enough,
                                 std::int64_t length) {
    std::int64_t least = problem.A[first];
    std::int64_t largest = least;
    for (std::int64_t i = 0; 2 * i < length && largest - least < enough; ++i) {
      const auto [low, high] = std::minmax(problem.A[first + i], problem.A[first + length - 1 - i]);
      least = std::min(least, low);
      largest = std::max(largest, high);
    }
    return largest - least;
  }

  static std::int64_t length_of(const Answer& block) { return block[1] - block[0]; }

  static bool fits(const Problem& problem, std::int64_t first, std::int64_t end) {
    const auto [least, largest] =
        std::ranges::minmax(std::span(problem.A).subspan(first, end - first));
    return largest - least <= problem.K;
  }

  static std::int64_t furthest(const Problem& problem, std::int64_t first) {
    std::int64_t end = first + 1;
    while (end < problem.N && fits(problem, first, end + 1)) ++end;
    return end;
  }

  // The longest block of elements within K/2 of the median.
  static Answer near_median(const Problem& problem) {
    std::vector<std::int64_t> sorted = problem.A;
    const auto middle = sorted.begin() + problem.N / 2;
    std::ranges::nth_element(sorted, middle);
    const std::int64_t least = *middle - problem.K / 2;
    Answer best{0, 1};
    for (std::int64_t i = 0, first = 0; i < problem.N; ++i) {
      if (problem.A[i] < least || problem.A[i] > least + problem.K) first = i + 1;
      if (i + 1 - first > length_of(best)) best = {first, i + 1};
    }
    return best;
  }
};
REDQUEEN_ENVIRONMENT(LongestMaxDiffBoundedInterval);

}  // namespace
}  // namespace redqueen
