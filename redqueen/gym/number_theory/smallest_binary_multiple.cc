#include <deque>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

bool has_only_ones_and_zeros(const std::string& digits) {
  return digits.find_first_not_of("01") == std::string::npos;
}

// The digits of the smallest positive multiple of `divisor` written with 0 and 1. Breadth first
// over remainders, 0 before 1: numbers come in ascending order, and the first of a remainder is the
// only one worth keeping.
std::string smallest_multiple(std::int64_t divisor) {
  struct Step {
    std::int64_t from = -1;
    char digit = 0;
  };
  std::vector<Step> steps(static_cast<std::size_t>(divisor));
  std::deque<std::int64_t> open;
  const auto reach = [&](std::int64_t from, std::int64_t remainder, char digit) {
    if (steps[remainder].digit != 0) return;
    steps[remainder] = {from, digit};
    open.push_back(remainder);
  };
  reach(-1, 1 % divisor, '1');
  while (steps[0].digit == 0) {
    const std::int64_t remainder = open.front();
    open.pop_front();
    reach(remainder, remainder * 10 % divisor, '0');
    reach(remainder, (remainder * 10 + 1) % divisor, '1');
  }
  std::string digits;
  for (std::int64_t at = 0; at != -1; at = steps[at].from) digits += steps[at].digit;
  return {digits.rbegin(), digits.rend()};
}

struct SmallestBinaryMultiple {
  static constexpr Card card{
      .name = "SmallestBinaryMultiple",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kMinimise,
      .task = "Find the smallest factor that turns A into a number written with 0 and 1.",
      .levels = "The bound on A starts at 10 and grows by a tenth and one each level.",
      .rewards =
          "-1 malformed or not positive, -0.5 if the product has another digit, else "
          "(smallest/answer)^5.",
      .differences =
          "A lies in the upper part of its range and is not written with 0 and 1 itself, where the "
          "answer would be 1.",
  };

  static constexpr std::int64_t kMaxA = 1'000'000;
  static constexpr std::int64_t kLeastChoice = 13;  // so many A at least, where the bound allows it

  struct Config {
    std::int64_t MAX_A = 0;
    REDQUEEN_FIELDS(MAX_A)
  };
  struct Problem {
    std::int64_t MAX_A = 0;
    std::int64_t A = 0;
    REDQUEEN_FIELDS(MAX_A, A)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_A = grow_by_tenth(10, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t least = std::min(config.MAX_A / 2, config.MAX_A - kLeastChoice);
    const Problem problem{.MAX_A = config.MAX_A,
                          .A = rng.integer(std::max<std::int64_t>(2, least), config.MAX_A)};
    if (has_only_ones_and_zeros(fmt::format("{}", problem.A))) throw Retry();
    return problem;
  }

  // A uniform A.
  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_A = config.MAX_A, .A = rng.integer(2, config.MAX_A)};
  }

  static Status check(const Problem& problem) { return within("A", problem.A, 1, kMaxA); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find the smallest positive integer B for which the decimal notation of {}·B consists of "
        "the digits 0 and 1 only.\n"
        "Answer with B, one integer.",
        problem.A);
  }

  static double score(const Problem& problem, const Answer& answer, const Answer& right) {
    if (answer <= 0) return kMalformedReward;
    if (answer == right) return kSolvedReward;
    if (!has_only_ones_and_zeros(BigInt(answer * problem.A).str())) return kInvalidReward;
    return minimise_reward(answer, right);
  }

  static Answer solve(const Problem& problem) {
    return Answer(smallest_multiple(problem.A)) / problem.A;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SmallestBinaryMultiple);

}  // namespace
}  // namespace redqueen
