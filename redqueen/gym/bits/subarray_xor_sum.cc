#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/number_list.h"

namespace redqueen {
namespace {

struct SubarrayXorSum {
  static constexpr Card card{
      .name = "SubarrayXorSum",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Add up the bitwise XORs of all contiguous subarrays of a list.",
      .levels = "The list grows from 3 numbers by one a level, its values with it.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences = "Values go up to 5 N instead of N, where a few sums were common.",
  };

  static constexpr std::int64_t kValuesPerPlace = 5;
  static constexpr int kMaxCount = 100'000;
  static constexpr std::int64_t kMaxValue = 1'000'000'000;  // sums then stay below 2^63

  using Config = NumberListConfig;
  using Problem = NumberList;
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_number_list(config, kValuesPerPlace * config.N, rng);
  }

  // Uniform numbers up to N.
  static Problem published(const Config& config, Rng& rng) {
    return draw_number_list(config, config.N, rng);
  }

  static Status check(const Problem& problem) {
    return check_number_list(problem, kMaxCount, kMaxValue);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {} integers:\n"
        "{}\n"
        "For every non-empty contiguous subarray, take the "
        "bitwise XOR of its elements. Find the "
        "sum of these XORs over all {} subarrays (choices of a "
        "start and an end); equal XORs count "
        "as often as they occur.\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.A), std::int64_t{problem.N} * (problem.N + 1) / 2);
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == solve(problem));
  }

  // A subarray's XOR is that of two prefixes: a bit is set for every two
  // prefixes that differ in it.
  static Answer solve(const Problem& problem) {
    std::int64_t seen = 0;
    for (const std::int64_t a : problem.A) seen |= a;
    std::int64_t sum = 0;
    for (std::int64_t bit = 1; bit <= seen; bit *= 2) {
      std::int64_t prefix = 0;
      std::int64_t ones = 0;
      for (const std::int64_t a : problem.A) {
        prefix ^= a & bit;
        ones += prefix != 0;
      }
      sum += bit * ones * (problem.N + 1 - ones);
    }
    return sum;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, 2 * std::min(solve(problem), std::int64_t{1} << 60) + 8);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t all = 0;
    std::int64_t sum = 0;
    for (const std::int64_t a : problem.A) {
      all ^= a;
      sum += a;
    }
    return {{"the XOR of all elements", format_answer(all)},
            {"the sum of all elements", format_answer(sum)}};
  }
};
REDQUEEN_ENVIRONMENT(SubarrayXorSum);

}  // namespace
}  // namespace redqueen
