#include <algorithm>
#include <cmath>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct BoundedSubarrayCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "BoundedSubarrayCounting",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the contiguous subarrays, of an array that is written several times in a row, "
          "whose sum does not exceed a bound.",
      .levels =
          "The array grows from 3 numbers, the times it is written from 2, both by a tenth and one "
          "a level. Beyond level 80 the array would be too long to read.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the right number.",
      .differences =
          "The bound is the sum of a subarray whose length is drawn evenly on a logarithmic scale; "
          "under a uniform bound most subarrays count, and their number was a good guess. From 5 "
          "numbers on, the count differs from that of an array of equal numbers.",
      .max_level = 80,
  };

  static constexpr int kFewNumbers = 5;
  static constexpr int kDraws = 50;
  static constexpr std::int64_t kMaxValue = 1'000'000'000;
  static constexpr std::int64_t kMaxTimes = 1'000'000;

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  struct Problem {
    int N = 0;
    std::int64_t M = 0;
    std::vector<std::int64_t> A;
    std::int64_t K = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, M, A, K, reference_answer)
  };

  static Config at_level(int level, Rng&) {
    return {.N = grow_by_tenth(3, level), .M = grow_by_tenth(2, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] { return drawn(config, rng); };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return config.N < kFewNumbers || problem.reference_answer != estimate(problem);
    });
  }

  // The bound is uniform between the largest number and the sum of all.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = config.M, .A = {}, .K = 0, .reference_answer = 0};
    problem.A = draw_numbers(config.N, 1, config.N, rng);
    problem.K = rng.integer(*std::ranges::max_element(problem.A), problem.M * sum_of(problem.A));
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxTimes / problem.N + 20'000));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 1, kMaxValue));
    RETURN_IF_ERROR(within("K", problem.K, 0, std::int64_t{1} << 60));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array A of {} positive integers:\n"
        "{}\n"
        "B is A written {} times in a row, {} numbers in all. How many contiguous subarrays of B "
        "with at least one element have a sum of at most {}? Subarrays at different places count "
        "separately, even if they hold the same numbers.\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.A), problem.M, problem.N * problem.M, problem.K);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t length = problem.N * problem.M;
    return {{"all subarrays", format_answer(length * (length + 1) / 2)},
            {"those not longer than K in numbers of mean size", format_answer(estimate(problem))}};
  }

 private:
  static Problem drawn(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = config.M, .A = {}, .K = 0, .reference_answer = 0};
    problem.A = draw_numbers(config.N, 1, config.N, rng);
    const std::int64_t largest = *std::ranges::max_element(problem.A);
    const std::int64_t most = problem.M * sum_of(problem.A) - 1;
    const double scale = std::log(static_cast<double>(most) / static_cast<double>(largest));
    problem.K = std::lround(static_cast<double>(largest) * std::exp(rng.real(0.0, scale)));
    problem.K = std::clamp(problem.K, largest, most);
    problem.reference_answer = count(problem);
    return problem;
  }

  static std::int64_t sum_of(const std::vector<std::int64_t>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
  }

  // As many subarrays as if all numbers were of the same size.
  static std::int64_t estimate(const Problem& problem) {
    const std::int64_t length = problem.N * problem.M;
    const double numbers =
        static_cast<double>(problem.K) * problem.N / static_cast<double>(sum_of(problem.A));
    const std::int64_t reach = std::min(length, static_cast<std::int64_t>(numbers));
    return reach * length - reach * (reach - 1) / 2;
  }

  // From a place of A, without an end to B, the subarrays have `reach` lengths. Only the copies at
  // the end of B hold less: of the M starts at this place, those with fewer than `reach` elements
  // left lie N apart.
  static std::int64_t count(const Problem& problem) {
    const std::int64_t n = problem.N;
    const std::int64_t total = sum_of(problem.A);
    const std::int64_t copies = std::min(problem.K / total, problem.M);
    const std::int64_t rest = problem.K - copies * total;
    std::int64_t inside = 0;  // the sum of `length` elements from `start`, round A
    std::int64_t length = 0;
    std::int64_t subarrays = 0;
    for (std::int64_t start = 0; start < n; ++start) {
      while (length < n && inside + problem.A[(start + length) % n] <= rest) {
        inside += problem.A[(start + length) % n];
        ++length;
      }
      const std::int64_t reach = copies * n + length;
      // Starts c = 0 … M − 1 copies from the end have n − start + c n elements left.
      const std::int64_t cut =
          std::clamp((reach - (n - start) + n - 1) / n, std::int64_t{0}, problem.M);
      subarrays += cut * (n - start) + n * (cut * (cut - 1) / 2) + (problem.M - cut) * reach;
      if (length > 0) {
        inside -= problem.A[start];
        --length;
      }
    }
    return subarrays;
  }
};
REDQUEEN_ENVIRONMENT(BoundedSubarrayCounting);

}  // namespace
}  // namespace redqueen
