#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct DifferenceConstraintSystem {
  static constexpr Card card{
      .name = "DifferenceConstraintSystem",
      .published = true,
      .family = Family::kAlgebra,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Find integers whose differences keep given upper bounds.",
      .levels =
          "N unknowns, from 3 by a tenth and one a level; the number of inequalities is N times a "
          "factor from 1 to 2. Beyond level 65 a prompt would pass 256 KiB.",
      .rewards = "-1 malformed or wrong count, else (inequalities kept / all)^5.",
      .differences =
          "The inequalities always hold a cycle through all unknowns, most of them are tight, and "
          "all zeros never keep them. From 5 unknowns on, nor do values that fall from zero while "
          "one goes through the inequalities twice, each as little as the next broken one asks.",
      .slow_reason = SlowReason::kStricter,
      .source =
          "Cormen, Leiserson, Rivest and Stein, Introduction to Algorithms, on difference "
          "constraints and shortest paths",
      .version = 2,
      .max_level = 65,
  };

  static constexpr std::int64_t kMostSlack = 5;
  static constexpr double kTight = 0.6;  // probability that an inequality has no slack
  static constexpr double kBeta = 5.0;
  static constexpr int kFewUnknowns = 5;  // fewer: two relaxations nearly always are enough
  static constexpr int kDraws = 200;
  static constexpr int kOrders = 4;  // of the inequalities, tried for each draw
  static constexpr std::int64_t kLargestValue = 1'000'000'000'000;

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<std::int64_t> x;  // planted
    std::vector<std::pair<int, int>> inequations;
    std::vector<std::int64_t> results;
    REDQUEEN_FIELDS(N, M, x, inequations, results)
  };
  using Answer = std::vector<BigInt>;

  static Config at_level(int level, Rng& rng) {
    constexpr std::array kFactors{1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0};
    const int n = grow_by_tenth(3, level);
    return {.N = n, .M = static_cast<int>(rng.choice(kFactors) * n)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    for (int draw = 0; draw < kDraws; ++draw) {
      Problem problem{.N = config.N, .M = config.M, .x = {}, .inequations = {}, .results = {}};
      for (int i = 0; i < config.N; ++i) problem.x.push_back(rng.integer(-config.N, config.N));
      problem.inequations = draw_pairs(config, rng);
      for (const auto& [i, j] : problem.inequations) {
        const std::int64_t slack = rng.chance(kTight) ? 0 : rng.integer(1, kMostSlack);
        problem.results.push_back(problem.x[index(i)] - problem.x[index(j)] + slack);
      }
      if (std::ranges::all_of(problem.results, [](std::int64_t c) { return c >= 0; })) continue;
      if (config.N < kFewUnknowns || defies_relaxation(problem, rng)) return problem;
    }
    throw Retry();
  }

  // Whether, in some order of the inequalities, two relaxations from zeros leave one of them
  // broken. Leaves them in such an order.
  static bool defies_relaxation(Problem& problem, Rng& rng) {
    std::vector<std::int64_t> values(index(problem.N));
    for (int order = 0; order < kOrders; ++order) {
      std::ranges::fill(values, 0);
      if (relax(problem, values) && relax(problem, values) && relax(problem, values)) return true;
      for (std::size_t k = problem.results.size(); k > 1; --k) {
        const std::size_t other = rng.below(k);
        std::swap(problem.inequations[k - 1], problem.inequations[other]);
        std::swap(problem.results[k - 1], problem.results[other]);
      }
    }
    return false;
  }

  // Once over all inequalities: where one is broken, the first unknown falls. Returns whether one
  // was.
  template <typename Number>
  static bool relax(const Problem& problem, std::vector<Number>& values) {
    bool broken = false;
    for (std::size_t k = 0; k < problem.results.size(); ++k) {
      const auto [i, j] = problem.inequations[k];
      const Number most = values[index(j)] + problem.results[k];
      if (values[index(i)] <= most) continue;
      values[index(i)] = most;
      broken = true;
    }
    return broken;
  }

  // A cycle through all unknowns ties them together; without one the system is often a forest, and
  // solved by reading.
  static std::vector<std::pair<int, int>> draw_pairs(const Config& config, Rng& rng) {
    const std::vector<int> order = rng.permutation(config.N);
    std::vector<int> successor(index(config.N));
    for (int k = 0; k < config.N; ++k) {
      successor[index(order[index(k)])] = order[index((k + 1) % config.N)];
    }
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < config.N; ++i) pairs.emplace_back(i, successor[index(i)]);
    const std::int64_t all = std::int64_t{config.N} * (config.N - 1);
    const auto count = std::min<std::int64_t>(config.M, all);
    for (const std::int64_t code : rng.sample(0, all - 1, static_cast<std::size_t>(count))) {
      if (static_cast<std::int64_t>(pairs.size()) >= count) break;
      const int i = static_cast<int>(code / (config.N - 1));
      int j = static_cast<int>(code % (config.N - 1));
      j += j >= i;
      if (j != successor[index(i)]) pairs.emplace_back(i, j);
    }
    rng.shuffle(pairs);
    return pairs;
  }

  // Inequalities between any pairs, each with a slack from 0 to kMostSlack.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = config.M, .x = {}, .inequations = {}, .results = {}};
    for (int i = 0; i < config.N; ++i) problem.x.push_back(rng.integer(-config.N, config.N));
    const std::int64_t all = std::int64_t{config.N} * (config.N - 1);
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(config.M, all));
    for (const std::int64_t code : rng.sample(0, all - 1, count)) {
      const int i = static_cast<int>(code / (config.N - 1));
      int j = static_cast<int>(code % (config.N - 1));
      j += j >= i;
      problem.inequations.emplace_back(i, j);
      problem.results.push_back(problem.x[index(i)] - problem.x[index(j)] +
                                rng.integer(0, kMostSlack));
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, 100'000); !sound) return sound;
    if (problem.x.size() != index(problem.N)) {
      return failure("\"x\": expected {} numbers", problem.N);
    }
    if (problem.inequations.empty() || problem.inequations.size() != problem.results.size()) {
      return failure("\"results\": expected one for each of \"inequations\", and at least one");
    }
    const auto fits = [](std::int64_t v) { return v >= -kLargestValue && v <= kLargestValue; };
    if (!std::ranges::all_of(problem.x, fits)) return failure("\"x\": beyond 10^12");
    for (std::size_t k = 0; k < problem.results.size(); ++k) {
      const auto [i, j] = problem.inequations[k];
      if (i < 0 || j < 0 || i >= problem.N || j >= problem.N) {
        return failure("\"inequations\": an index is not in 0..{}", problem.N - 1);
      }
      if (!fits(problem.results[k])) return failure("\"results\": beyond 10^12");
      if (problem.x[index(i)] - problem.x[index(j)] > problem.results[k]) {
        return failure("\"x\": breaks inequality {}", k);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string text = fmt::format(
        "Find integers x[0] to x[{}], negative ones allowed, that satisfy these {} "
        "inequalities:\n",
        problem.N - 1, problem.results.size());
    for (std::size_t k = 0; k < problem.results.size(); ++k) {
      const auto [i, j] = problem.inequations[k];
      append_format(text, "x[{}] - x[{}] ≤ {}\n", i, j, problem.results[k]);
    }
    append_format(text,
                  "A solution exists; if there are several, any will do.\n"
                  "Answer with the {} integers x[0] to x[{}] in this order, separated by spaces.",
                  problem.N, problem.N - 1);
    return text;
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != index(problem.N)) return kMalformedReward;
    std::int64_t kept = 0;
    for (std::size_t k = 0; k < problem.results.size(); ++k) {
      const auto [i, j] = problem.inequations[k];
      kept += answer[index(i)] - answer[index(j)] <= problem.results[k];
    }
    return share_reward(kept, static_cast<std::int64_t>(problem.results.size()), kBeta);
  }

  static Answer solve(const Problem& problem) { return {problem.x.begin(), problem.x.end()}; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (int i = 0; i < problem.N; ++i) answer.emplace_back(rng.integer(-problem.N, problem.N));
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer relaxed(index(problem.N), 0);
    for (int round = 0; round < 2; ++round) relax(problem, relaxed);
    return {{"all zeros", format_answer(Answer(index(problem.N), 0))},
            {"two relaxations", format_answer(relaxed)}};
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
};
REDQUEEN_ENVIRONMENT(DifferenceConstraintSystem);

}  // namespace
}  // namespace redqueen
