#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

struct MonotonicStack {
  static constexpr Card card{
      .name = "MonotonicStack",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "For every element of a list, count the elements directly to its right that are smaller "
          "than it, up to the first that is not; give the sum of the counts.",
      .levels = "The list grows from 4 numbers by a tenth and one a level, its values with it.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "A random run of the list is put into descending order: short lists of independent "
          "numbers have the sum 1 or 2 most of the time.",
      .source = "Bad Hair Day, USACO November 2006",
  };

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    REDQUEEN_FIELDS(N, A)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}};
    problem.A.resize(config.N);
    for (std::int64_t& value : problem.A) value = rng.integer(1, config.N);
    auto [begin, end] = std::pair{rng.integer(0, config.N), rng.integer(0, config.N)};
    if (begin > end) std::swap(begin, end);
    std::sort(problem.A.begin() + begin, problem.A.begin() + end, std::greater());
    return problem;
  }

  // All numbers are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}};
    problem.A.resize(config.N);
    for (std::int64_t& value : problem.A) value = rng.integer(1, config.N);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" ≥ 1 numbers, found {}", problem.A.size());
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a list of {} integers:\n"
        "{}\n"
        "Every element sees the elements to its right, one after another, as long as they are "
        "strictly smaller than itself; the first one that is equal or greater ends its view and "
        "is not seen. What is the sum, over all elements, of the number of elements that each "
        "sees?\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.A));
  }

  static double score(const Problem&, const Answer& answer, Answer right) {
    return exact_reward(answer == right);
  }

  // A new element is seen by everything on the stack that is greater; what is not, its view ends.
  static Answer solve(const Problem& problem) {
    std::vector<std::int64_t> viewers;
    viewers.reserve(problem.A.size());
    std::int64_t sum = 0;
    for (const std::int64_t value : problem.A) {
      while (!viewers.empty() && viewers.back() <= value) viewers.pop_back();
      sum += std::ssize(viewers);
      viewers.push_back(value);
    }
    return sum;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, 2 * problem.N);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(MonotonicStack);

}  // namespace
}  // namespace redqueen
