#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct RangeShrinkingSequenceCounting : StoredResidue {
  static constexpr Card card{
      .name = "RangeShrinkingSequenceCounting",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count the bounded sequences each of whose elements lies between the values next to the "
          "element before it among those that came earlier.",
      .levels =
          "The sequence has 3 elements and one more a level. Beyond level 40 the table of the "
          "reference solution would take too long.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "The bounds are independent and at least N/2, and the modulus is at least 1000: small "
          "ones make guesses right.",
      .max_level = 40,
  };

  static constexpr int kMaxLength = 60;
  static constexpr std::int64_t kMaxModulus = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> R;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, R, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .R = {}, .MOD = 0, .reference_answer = 0};
    problem.R = draw_numbers(config.N, (config.N + 1) / 2, config.N, rng);
    problem.MOD = rng.integer(1000, 1'000'000);
    problem.reference_answer = count(problem);
    return problem;
  }

  // A sequence that counts is drawn from left to right, each element uniform in what is left of the
  // range; each bound is uniform from its element up to N, the modulus from 2 up.
  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    Problem problem{.N = config.N, .R = {}, .MOD = 0, .reference_answer = 0};
    std::int64_t low = 1;
    std::int64_t high = n;
    std::int64_t before = 0;
    for (int i = 0; i < config.N; ++i) {
      const std::int64_t element = rng.integer(low, high);
      problem.R.push_back(element);
      if (i > 0 && before >= element) high = element;
      if (i > 0 && before <= element) low = element;
      before = element;
    }
    for (std::int64_t& bound : problem.R) bound = rng.integer(bound, n);
    problem.MOD = rng.integer(2, 1'000'000);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 3, kMaxLength));
    RETURN_IF_ERROR(check_numbers("R", problem.R, problem.N, 1, problem.N));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Count the sequences A[1], …, A[{0}] of integers with these two properties:\n"
        "1. For each i, A[i] is at least 1 and at most R[i], where R[1] to R[{0}] are: {1}\n"
        "2. For each i from 3 to {0}, take the elements A[1] to A[i-2]. Let low be the largest of "
        "them that is at most A[i-1], and high the smallest of them that is at least A[i-1]. Then "
        "low ≤ A[i] ≤ high; where there is no such low or high, that side is free. (So if A[i-1] "
        "itself is among A[1] to A[i-2], A[i] equals A[i-1].)\n"
        "What is the remainder of their number when divided by {2}?\n"
        "Answer with one integer from 0 to {3}.",
        problem.N, format_answer(problem.R), problem.MOD, problem.MOD - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t all = 1;
    for (const std::int64_t bound : problem.R) all = all * bound % problem.MOD;
    return {{"all sequences within the bounds", format_answer(all)}};
  }

 private:
  // ways[low][high][last]: sequences whose last element is bounded by the values low and high of
  // earlier ones, 0 and the largest bound + 1 if there are none. Within them, the next element
  // takes the last one for its new low or high; an element equal to an earlier one stays for ever.
  static std::int64_t count(const Problem& problem) {
    const int top = static_cast<int>(*std::ranges::max_element(problem.R)) + 1;
    const int side = top + 1;
    const std::int64_t modulus = problem.MOD;
    const auto at = [&](int low, int high, int last) {
      return (static_cast<std::size_t>(low) * side + high) * side + last;
    };
    std::vector<std::int64_t> ways(static_cast<std::size_t>(side) * side * side);
    std::vector<std::int64_t> next(ways.size());
    for (int last = 1; last <= problem.R[0]; ++last) ways[at(0, top, last)] = 1 % modulus;
    for (int i = 1; i < problem.N; ++i) {
      const int bound = static_cast<int>(problem.R[i]);
      std::ranges::fill(next, 0);
      std::vector<std::int64_t> repeated(static_cast<std::size_t>(side), 0);
      for (int low = 0; low <= top; ++low) {
        for (int high = low; high <= top; ++high) {
          for (int last = low; last <= high; ++last) {
            const std::int64_t here = ways[at(low, high, last)];
            if (here == 0) continue;
            const auto add = [&](std::size_t place, std::int64_t amount) {
              next[place] = (next[place] + amount) % modulus;
            };
            // Ranges of next elements are added as differences along `last`, summed up below.
            const auto add_range = [&](int new_low, int new_high) {
              const int end = std::min(new_high, bound + 1);
              if (new_low + 1 >= end) return;
              add(at(new_low, new_high, new_low + 1), here);
              add(at(new_low, new_high, end), modulus - here);
            };
            add_range(low, last);
            add_range(last, high);
            // An element equal to an earlier one leaves no choice from there on.
            for (const int value : {low, last, high}) {
              if (value >= 1 && value <= bound) repeated[value] += here;
              if (low == high) break;
            }
          }
        }
      }
      for (int low = 0; low <= top; ++low) {
        for (int high = low; high <= top; ++high) {
          std::int64_t sum = 0;
          for (int last = low + 1; last < high; ++last) {
            std::int64_t& entry = next[at(low, high, last)];
            entry = sum = (sum + entry) % modulus;
          }
          if (high > low) next[at(low, high, high)] = 0;
        }
      }
      for (int value = 1; value < top; ++value) {
        next[at(value, value, value)] = repeated[value] % modulus;
      }
      std::swap(ways, next);
    }
    std::int64_t total = 0;
    for (const std::int64_t entry : ways) total += entry;
    return total % modulus;
  }
};
REDQUEEN_ENVIRONMENT(RangeShrinkingSequenceCounting);

}  // namespace
}  // namespace redqueen
