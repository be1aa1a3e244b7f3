// A whole environment, to start a new one from: see contract.h. It is compiled into core_test only.
#include "redqueen/core/contract.h"

namespace redqueen {
namespace {

struct Doubling {
  static constexpr Card card{
      .name = "Doubling",
      .family = Family::kArithmetic,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Double a number.",
      .levels = "The number has two digits, and one more a level.",
      .rewards = "-1 malformed, -0.5 negative, else (min/max)^10 of the answer and the double.",
      .source = "an example",
      .max_level = 16};

  static constexpr std::int64_t kMaxNumber = 1'000'000'000'000'000'000;  // its double fits

  // What a level fixes.
  struct Config {
    std::int64_t limit = 0;
    REDQUEEN_FIELDS(limit)
  };
  // What a problem is; the members are the keys of its JSON form.
  struct Problem {
    std::int64_t number = 0;
    REDQUEEN_FIELDS(number)
  };
  // answer.h reads and writes an integer by itself: parse() and format() can be left out.
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) {
    std::int64_t limit = 100;
    for (int i = 0; i < level; ++i) limit *= 10;
    return {.limit = limit};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return {.number = rng.integer(config.limit / 10, config.limit - 1)};
  }

  // Problems from outside may hold anything.
  static Status check(const Problem& problem) {
    if (problem.number < 1 || problem.number > kMaxNumber) {
      return failure("\"number\": {} is not in 1..{}", problem.number, kMaxNumber);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format("What is twice {}?\nAnswer with one integer.", problem.number);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer < 0) return kInvalidReward;
    return closeness_reward(answer, solve(problem), 10.0);
  }

  static Answer solve(const Problem& problem) { return 2 * problem.number; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, 4 * problem.number);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the number itself", format_answer(problem.number)}};
  }
};
REDQUEEN_ENVIRONMENT(Doubling);

}  // namespace
}  // namespace redqueen
