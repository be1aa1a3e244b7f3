#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

struct SlidingWindow {
  static constexpr Card card{
      .name = "SlidingWindow",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task =
          "Give the minimum of every window of K consecutive elements of a list, from left to "
          "right.",
      .levels =
          "The list grows from 5 numbers by a tenth and one a level; windows hold up to a third "
          "of it.",
      .rewards = "-1 malformed, -0.5 wrong count, else (windows that are right / windows)^10.",
      .differences =
          "Windows hold at most max(3, N/3) elements instead of N - 1, and lists all of whose "
          "windows have the same minimum are drawn again: repeating one number solved two in five.",
      .source = "Sliding Window, POJ 2823",
  };

  static constexpr double kBeta = 10.0;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<std::int64_t> A;
    REDQUEEN_FIELDS(N, K, A)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw(config, std::max(3, config.N / 3), rng);
    const Answer minima = solve(problem);
    if (std::ranges::count(minima, minima.front()) == std::ssize(minima)) throw Retry();
    return problem;
  }

  // All numbers are uniform, and K is uniform in 2 … N - 1.
  static Problem published(const Config& config, Rng& rng) {
    return draw(config, config.N - 1, rng);
  }

  static Problem draw(const Config& config, int widest, Rng& rng) {
    Problem problem{.N = config.N, .K = 0, .A = {}};
    problem.K = static_cast<int>(rng.integer(2, widest));
    problem.A.resize(config.N);
    for (std::int64_t& value : problem.A) value = rng.integer(-(config.N / 20), config.N);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" ≥ 1 numbers, found {}", problem.A.size());
    }
    if (problem.K < 1 || problem.K > problem.N)
      return failure("\"K\": {} is not in 1..N", problem.K);
    return {};
  }

  static std::string prompt(const Problem& problem) {
    const int windows = problem.N - problem.K + 1;
    return fmt::format(
        "A window of {} consecutive elements slides over this list of {} integers:\n"
        "{}\n"
        "Give the smallest element of each of the {} windows, from the leftmost to the "
        "rightmost.\n"
        "Answer with these {} numbers on one line, separated by spaces.",
        problem.K, problem.N, format_answer(problem.A), windows, windows);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const std::int64_t windows = problem.N - problem.K + 1;
    if (std::ssize(answer) != windows) return kInvalidReward;
    const Answer minima = solve(problem);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < minima.size(); ++i) matches += answer[i] == minima[i];
    return share_reward(matches, windows, kBeta);
  }

  // Places that may still become a minimum wait in a queue, their values ascending.
  static Answer solve(const Problem& problem) {
    const auto window = static_cast<std::size_t>(problem.K);
    Answer minima;
    minima.reserve(problem.A.size() - window + 1);
    std::vector<std::size_t> queue;
    queue.reserve(problem.A.size());
    std::size_t head = 0;
    for (std::size_t i = 0; i < problem.A.size(); ++i) {
      if (head < queue.size() && queue[head] + window == i) ++head;
      while (queue.size() > head && problem.A[queue.back()] >= problem.A[i]) queue.pop_back();
      queue.push_back(i);
      if (i + 1 >= window) minima.push_back(problem.A[queue[head]]);
    }
    return minima;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer(static_cast<std::size_t>(problem.N - problem.K + 1));
    for (std::int64_t& value : answer) value = rng.choice(problem.A);
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto windows = static_cast<std::size_t>(problem.N - problem.K + 1);
    const Answer smallest(windows, *std::ranges::min_element(problem.A));
    const Answer first(problem.A.begin(), problem.A.begin() + static_cast<std::ptrdiff_t>(windows));
    return {{"the smallest number of all, repeated", format_answer(smallest)},
            {"the first element of each window", format_answer(first)}};
  }
};
REDQUEEN_ENVIRONMENT(SlidingWindow);

}  // namespace
}  // namespace redqueen
