#include <algorithm>
#include <cmath>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/sequence/inversions.h"

namespace redqueen {
namespace {

struct BoundedMeanSubarrayCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "BoundedMeanSubarrayCounting",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the contiguous subarrays of an array whose mean is at least K.",
      .levels =
          "The array grows from 3 numbers by a tenth and one a level. Beyond level 80 it would be "
          "too long to read.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the right number.",
      .differences =
          "K lies near the mean of the array, and of several draws each answer among them is as "
          "likely. Under a uniform K, the number of all subarrays was a good guess. From 5 numbers "
          "on, more than single elements count.",
      .source = "A standard exercise on counting by inversions of prefix sums.",
      .max_level = 80,
  };

  static constexpr std::int64_t kMaxValue = 1'000'000'000;
  static constexpr int kFewNumbers = 40;    // of more, few draws have the same answer
  static constexpr int kSingleNumbers = 5;  // from which on longer subarrays must count
  static constexpr int kDraws = 6;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::int64_t K = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, A, K, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto reach = std::lround(std::sqrt(config.N) / 3.0);
    using Candidate = std::optional<std::pair<std::int64_t, Problem>>;
    return draw_spread(config.N < kFewNumbers ? kDraws : 1, rng, [&]() -> Candidate {
      Problem problem{.N = config.N, .A = {}, .K = 0, .reference_answer = 0};
      problem.A = draw_numbers(config.N, 0, config.N, rng);
      const auto [least, largest] = std::ranges::minmax(problem.A);
      const std::int64_t sum = std::accumulate(problem.A.begin(), problem.A.end(), std::int64_t{0});
      problem.K = sum / config.N + rng.integer(-reach, reach + 1);
      problem.K = std::clamp(problem.K, least, largest);
      problem.reference_answer = count(problem);
      const bool one_by_one = problem.reference_answer == high_elements(problem);
      if (one_by_one && config.N >= kSingleNumbers) return std::nullopt;
      return std::pair(problem.reference_answer, std::move(problem));
    });
  }

  // All numbers are uniform; K lies anywhere between the least and the largest of the array.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}, .K = 0, .reference_answer = 0};
    problem.A = draw_numbers(config.N, 0, config.N, rng);
    const auto [least, largest] = std::ranges::minmax(problem.A);
    problem.K = rng.integer(least, largest);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, -kMaxValue, kMaxValue));
    RETURN_IF_ERROR(within("K", problem.K, -kMaxValue, kMaxValue));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {} integers:\n"
        "{}\n"
        "How many of its contiguous subarrays, with at least one element, have an arithmetic mean "
        "of {} or more? Subarrays at different places count separately, even if they hold the "
        "same numbers.\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.A), problem.K);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t all = std::int64_t{problem.N} * (problem.N + 1) / 2;
    return {{"all subarrays", format_answer(all)},
            {"half of them", format_answer(all / 2)},
            {"the elements that are at least K", format_answer(high_elements(problem))}};
  }

 private:
  static std::int64_t high_elements(const Problem& problem) {
    return std::ranges::count_if(problem.A, [&](auto a) { return a >= problem.K; });
  }

  // A subarray counts where the sum of (element − K) up to its end is not less than that up to its
  // beginning: all pairs of places but the inversions.
  static std::int64_t count(const Problem& problem) {
    std::vector<std::int64_t> sums{0};
    sums.reserve(problem.A.size() + 1);
    for (const std::int64_t value : problem.A) sums.push_back(sums.back() + value - problem.K);
    return std::int64_t{problem.N} * (problem.N + 1) / 2 - count_inversions(sums);
  }
};
REDQUEEN_ENVIRONMENT(BoundedMeanSubarrayCounting);

}  // namespace
}  // namespace redqueen
