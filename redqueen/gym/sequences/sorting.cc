#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

struct Sorting {
  static constexpr Card card{
      .name = "Sorting",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task = "Put a list of non-negative integers into ascending order.",
      .levels = "The list grows from 3 numbers by a tenth and one a level, its values with it.",
      .rewards = "-1 malformed, -0.5 wrong count, else (places that are right / N)^10.",
      .differences = "A list that is sorted already is drawn again.",
  };

  static constexpr std::int64_t kValuesPerPlace = 5;  // values lie in 0 … 5 N
  static constexpr double kBeta = 10.0;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> array;
    REDQUEEN_FIELDS(N, array)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = published(config, rng);
    if (std::ranges::is_sorted(problem.array)) throw Retry();
    return problem;
  }

  // All numbers are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .array = {}};
    for (int i = 0; i < config.N; ++i) {
      problem.array.push_back(rng.integer(0, kValuesPerPlace * config.N));
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.array.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"array\": expected \"N\" ≥ 1 numbers, found {}", problem.array.size());
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Sort these {} numbers in ascending order, keeping each as often as it occurs:\n"
        "{}\n"
        "Answer with all {} numbers on one line, separated by spaces.",
        problem.N, format_answer(problem.array), problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.array.size()) return kInvalidReward;
    const Answer sorted = solve(problem);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) matches += answer[i] == sorted[i];
    return share_reward(matches, problem.N, kBeta);
  }

  static Answer solve(const Problem& problem) {
    Answer sorted = problem.array;
    std::ranges::sort(sorted);
    return sorted;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = problem.array;
    rng.shuffle(answer);
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the list as given", format_answer(problem.array)}};
  }
};
REDQUEEN_ENVIRONMENT(Sorting);

}  // namespace
}  // namespace redqueen
