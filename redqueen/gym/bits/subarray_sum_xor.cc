#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/number_list.h"

namespace redqueen {
namespace {

struct SubarraySumXor {
  static constexpr Card card{
      .name = "SubarraySumXor",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Take the bitwise XOR of the sums of all contiguous subarrays of "
          "a list.",
      .levels = "The list grows from 3 numbers by one a level, its values with it.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences = "Values go up to 5 N instead of N, where a few results were common.",
  };

  static constexpr std::int64_t kValuesPerPlace = 5;
  static constexpr int kMaxCount = 3000;  // the time is quadratic
  static constexpr std::int64_t kMaxValue = 1'000'000'000'000;

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
        "For every non-empty contiguous subarray, take the sum "
        "of its elements. Find the bitwise "
        "XOR of these sums over all {} subarrays (choices of a "
        "start and an end); equal sums enter "
        "as often as they occur.\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.A), std::int64_t{problem.N} * (problem.N + 1) / 2);
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == solve(problem));
  }

  static Answer solve(const Problem& problem) {
    std::int64_t result = 0;
    for (auto from = problem.A.begin(); from != problem.A.end(); ++from) {
      std::int64_t sum = 0;
      for (auto to = from; to != problem.A.end(); ++to) {
        sum += *to;
        result ^= sum;
      }
    }
    return result;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, 2 * solve(problem) + 8);
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
REDQUEEN_ENVIRONMENT(SubarraySumXor);

}  // namespace
}  // namespace redqueen
