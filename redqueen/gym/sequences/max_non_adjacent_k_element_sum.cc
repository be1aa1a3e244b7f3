#include <algorithm>
#include <numeric>
#include <queue>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct Max_NonAdjacent_KElementSum {
  static constexpr Card card{
      .name = "Max_NonAdjacent_KElementSum",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task = "Choose K places of an array, no two of them neighbours, with the greatest sum.",
      .levels =
          "The array grows from 4 numbers by a tenth and one a level. Beyond level 80 it would be "
          "too long to read.",
      .rewards =
          "-1 malformed, -0.5 not K different places without neighbours, else (sum / greatest "
          "sum)^5.",
      .differences =
          "From 5 numbers on, a problem is drawn again that is solved by taking the largest that "
          "fit, or, from 6 on and K = 3, every second place. K is at least N/8: of fewer, the "
          "largest fit. Of 6 numbers, K = 3 has only four choices, and is drawn less often.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "At level 0 there are three choices, 2 of 4 places. At level 2, where taking the largest "
          "fails, four choices are left for K = 2, and for K = 3 two but for the patterns.",
      .guess_until_level = 2,
      .source = "The task of planting trees, a standard one of greedy choice with regret.",
      .max_level = 80,
  };

  static constexpr int kFewNumbers = 5;
  static constexpr double kMostOfSix = 0.4;  // problems of six numbers with K = 3
  static constexpr int kDraws = 200;
  static constexpr int kDrawsOfACount = 10;  // before another K and another middle
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<std::int64_t> A;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, K, A, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .K = 0, .A = {}, .gold_answer = 0};
    std::int64_t middle = 1;
    for (int draw = 0; draw < kDraws; ++draw) {
      if (draw % kDrawsOfACount == 0) {
        problem.K = static_cast<int>(rng.integer(std::max(2, config.N / 8), config.N / 2));
        if (config.N == 6) problem.K = rng.chance(kMostOfSix) ? 3 : 2;
        middle = rng.integer(1, config.N - 2);
      }
      problem.A = drawn(config.N, middle, rng);
      const std::int64_t easy = sum_of(problem, largest(problem));
      problem.gold_answer = sum_of(problem, solve(problem));
      if (config.N < kFewNumbers) return problem;
      if (easy == problem.gold_answer) continue;
      if (config.N < 6 || problem.K < 3 || !some_pattern_solves(problem)) return problem;
    }
    throw Retry();
  }

  // All numbers are uniform, and K is uniform in 2 … N/2.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .K = 0, .A = {}, .gold_answer = 0};
    problem.K = static_cast<int>(rng.integer(2, config.N / 2));
    problem.A = draw_numbers(config.N, 1, config.N, rng);
    problem.gold_answer = sum_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(within("K", problem.K, 1, (problem.N + 1) / 2));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 1, kMaxValue));
    return reference_is("gold_answer", problem.gold_answer, sum_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {} positive integers, with places from 0:\n"
        "{}\n"
        "Choose exactly {} different places, no two of which are neighbours (their numbers must "
        "not differ by 1; the first and the last place are not neighbours), such that the sum of "
        "the values there is as great as possible.\n"
        "Answer with the chosen places (not the values) in any order on one line, separated by "
        "spaces.",
        problem.N, with_indices("A", problem.A), problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K) return kInvalidReward;
    std::vector<char> taken(problem.A.size() + 2);  // with a place beyond either end
    for (const std::int64_t index : answer) {
      if (index < 0 || index >= problem.N) return kInvalidReward;
      if (taken[index] + taken[index + 1] + taken[index + 2] > 0) return kInvalidReward;
      taken[index + 1] = 1;
    }
    return maximise_reward(sum_of(problem, answer), problem.gold_answer);
  }

  // Greedy choice with regret. A node is a run of places, at first one. The best node is taken, and
  // joins with both neighbours to a node whose gain is that of exchanging the places taken in it,
  // each second one from its second, for the others. A node beyond either end is never taken.
  static Answer solve(const Problem& problem) {
    struct Node {
      std::int64_t gain;
      int first;
      int last;
      int left;  // node, or -1
      int right;
      bool joined = false;
    };
    constexpr std::int64_t kNever = std::int64_t{-1} << 55;
    const int n = problem.N;
    std::vector<Node> nodes;
    nodes.reserve(static_cast<std::size_t>(n + problem.K) + 2);
    for (int i = -1; i <= n; ++i) {
      const std::int64_t gain = i < 0 || i == n ? kNever : problem.A[i];
      nodes.push_back(
          {.gain = gain, .first = i, .last = i, .left = i, .right = i == n ? -1 : i + 2});
    }
    std::vector<std::pair<std::int64_t, int>> gains;
    for (int i = 1; i <= n; ++i) gains.emplace_back(nodes[i].gain, i);
    std::priority_queue queue(std::less<>(), std::move(gains));
    for (int taken = 0; taken < problem.K; ++taken) {
      while (nodes[queue.top().second].joined) queue.pop();
      const int best = queue.top().second;
      queue.pop();
      const int left = nodes[best].left;
      const int right = nodes[best].right;
      for (const int old : {best, left, right}) nodes[old].joined = true;
      nodes.push_back({.gain = nodes[left].gain + nodes[right].gain - nodes[best].gain,
                       .first = nodes[left].first,
                       .last = nodes[right].last,
                       .left = nodes[left].left,
                       .right = nodes[right].right});
      const int joint = static_cast<int>(nodes.size()) - 1;
      if (nodes[joint].left >= 0) nodes[nodes[joint].left].right = joint;
      if (nodes[joint].right >= 0) nodes[nodes[joint].right].left = joint;
      queue.emplace(nodes[joint].gain, joint);
    }
    Answer answer;
    for (const Node& node : nodes) {
      for (int i = node.first + 1; !node.joined && i < node.last; i += 2) answer.push_back(i);
    }
    std::ranges::sort(answer);
    return answer;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = rng.sample(0, problem.N - problem.K, static_cast<std::size_t>(problem.K));
    std::ranges::sort(answer);
    for (int i = 0; i < problem.K; ++i) answer[i] += i;
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"the largest that fit", largest(problem)},
            {"the first even places", every_second(problem, 0)},
            {"the first odd places", every_second(problem, 1)},
            {"every second place up to the last", every_second(problem, last_pattern(problem))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::int64_t sum_of(const Problem& problem, const Answer& places) {
    std::int64_t sum = 0;
    for (const std::int64_t place : places) sum += problem.A[place];
    return sum;
  }

  // Random values, with a large one in the middle of two that are almost as large: these are worth
  // more together. The others are small in some problems, so that the large ones count.
  static std::vector<std::int64_t> drawn(std::int64_t n, std::int64_t middle, Rng& rng) {
    std::vector<std::int64_t> values = draw_numbers(n, 1, rng.integer((n + 2) / 3, n), rng);
    values[middle] = rng.integer((n + 1) / 2 + 1, n);
    for (const std::int64_t side : {middle - 1, middle + 1}) {
      values[side] = rng.integer(values[middle] - values[middle] / 4 - 1, values[middle] - 1);
    }
    return values;
  }

  static Answer largest(const Problem& problem) {
    Answer by_value(problem.A.size());
    std::iota(by_value.begin(), by_value.end(), 0);
    std::ranges::sort(by_value, [&](std::int64_t i, std::int64_t j) {
      return problem.A[i] != problem.A[j] ? problem.A[i] > problem.A[j] : i < j;
    });
    Answer places;
    std::vector<char> blocked(problem.A.size() + 2);
    for (const std::int64_t i : by_value) {
      if (std::ssize(places) == problem.K) break;
      if (blocked[i + 1]) continue;
      places.push_back(i);
      for (const int near : {0, 1, 2}) blocked[i + near] = 1;
    }
    return places;
  }

  static std::int64_t last_pattern(const Problem& problem) { return problem.N + 1 - 2 * problem.K; }

  static bool some_pattern_solves(const Problem& problem) {
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1}, last_pattern(problem)}) {
      std::int64_t sum = 0;
      for (int i = 0; i < problem.K; ++i) sum += problem.A[first + 2 * i];
      if (sum == problem.gold_answer) return true;
    }
    return false;
  }

  static Answer every_second(const Problem& problem, std::int64_t first) {
    Answer places;
    for (int i = 0; i < problem.K; ++i) places.push_back(first + 2 * i);
    return places;
  }
};
REDQUEEN_ENVIRONMENT(Max_NonAdjacent_KElementSum);

}  // namespace
}  // namespace redqueen
