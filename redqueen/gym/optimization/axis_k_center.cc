#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/cuts_into.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct Axis_KCenter {
  static constexpr Card card{
      .name = "Axis_KCenter",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose K of N points on a line such that the distances of all points to their nearest "
          "chosen one have the least sum.",
      .levels =
          "From 4 points, a tenth and one more a level, in a range five times as wide; up to two "
          "thirds of them are chosen. Beyond level 60 the reference solution would take long.",
      .rewards =
          "-1 malformed, -0.5 not K different points, else (least sum of distances / sum of "
          "distances)^5.",
      .differences =
          "From 5 points on, 2 to 2 N/3 of them are chosen; with nearly all points chosen the task "
          "is trivial. From 6 points on, a problem is drawn again that is "
          "solved by points at even distances in the list, before or after they are moved to the "
          "medians of their neighbourhoods, or by cutting at the widest gaps.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Of 6 points, at level 2, few choices are best that no simple rule finds; one of them "
          "is right for most problems of this size, and at level 3 for a quarter.",
      .guess_until_level = 3,
      .source = "P4767, IOI 2000: Post Office (Luogu)",
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewPoints = 6;
  static constexpr int kDraws = 200;
  static constexpr int kPositionMultiple = 5;
  static constexpr std::int64_t kMaxN = 3000;
  static constexpr std::int64_t kMaxPosition = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<std::int64_t> X;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, K, X, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const int k = static_cast<int>(n == 4 ? rng.integer(1, 3) : rng.integer(2, 2 * n / 3));
    return draw_accepted(
        kDraws, [&] { return drawn(config, k, rng); },
        [&](const Problem& problem) {
          return config.N < kFewPoints ||
                 !some_rule_is_best<Axis_KCenter>(problem, [&](const Answer& chosen) {
                   return distance(problem, chosen) == problem.gold_answer;
                 });
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    return drawn(config, static_cast<int>(rng.integer(1, config.N - 1)), rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxN));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N - 1));
    RETURN_IF_ERROR(check_numbers("X", problem.X, problem.N, -kMaxPosition, kMaxPosition));
    if (std::ranges::adjacent_find(problem.X, std::ranges::greater_equal()) != problem.X.end()) {
      return failure("\"X\": the positions do not ascend");
    }
    return reference_is("gold_answer", problem.gold_answer, distance(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{0} points lie on a line, at these positions:\n"
        "{1}\n"
        "Choose exactly {2} of the points. Every point has a distance to the nearest chosen point, "
        "which is 0 for a chosen one. The sum of these distances over all {0} points must be as "
        "small as possible.\n"
        "Answer with the indices (not the positions) of the chosen points in any order on one "
        "line, separated by spaces.",
        problem.N, with_indices("X", problem.X), problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K || !are_distinct_indices(problem.N, answer)) {
      return kInvalidReward;
    }
    return minimise_reward(distance(problem, answer), problem.gold_answer, kBeta);
  }

  // The points of one chosen one are neighbours, and it is the median of them.
  static Answer solve(const Problem& problem) {
    std::vector<std::int64_t> sums(problem.X.size() + 1);  // of the first positions
    std::partial_sum(problem.X.begin(), problem.X.end(), sums.begin() + 1);
    const auto cost = [&](int before, int last) {
      const int median = (before + last) / 2;
      return sums[last] - sums[median] - (sums[median] - sums[before]) -
             problem.X[median] * (last - median - (median - before));
    };
    return medians(cheapest_cut_into(problem.N, problem.K, cost));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(0, problem.N - 1, static_cast<std::size_t>(problem.K));
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    const Answer even = evenly_spaced(problem);
    return visit("medians between the widest gaps", between_gaps(problem)) ||
           visit("points at even distances in the list", even) ||
           visit("these, moved to the medians of their neighbourhoods", settled(problem, even));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<Axis_KCenter>(problem));
  }

 private:
  static Problem drawn(const Config& config, int k, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .K = k, .X = {}, .gold_answer = 0};
    problem.X = rng.sample(0, kPositionMultiple * n, static_cast<std::size_t>(n));
    std::ranges::sort(problem.X);
    problem.gold_answer = distance(problem, solve(problem));
    return problem;
  }

  // To the nearest of `chosen`, which is not empty.
  static std::int64_t distance(const Problem& problem, Answer chosen) {
    std::ranges::sort(chosen);
    std::int64_t sum = 0;
    std::size_t nearest = 0;
    for (const std::int64_t x : problem.X) {
      const auto to = [&](std::size_t i) { return std::abs(problem.X[chosen[i]] - x); };
      while (nearest + 1 < chosen.size() && to(nearest + 1) <= to(nearest)) ++nearest;
      sum += to(nearest);
    }
    return sum;
  }

  // Of the runs that end at these places, counted from 1.
  static Answer medians(const std::vector<std::int64_t>& ends) {
    Answer chosen;
    std::int64_t before = 0;
    for (const std::int64_t end : ends) {
      chosen.push_back((before + end) / 2);
      before = end;
    }
    return chosen;
  }

  static Answer evenly_spaced(const Problem& problem) {
    Answer chosen;
    for (std::int64_t i = 0; i < problem.K; ++i) {
      chosen.push_back((2 * i + 1) * problem.N / (2 * problem.K));
    }
    return chosen;
  }

  // Each chosen point goes to the median of the points nearest to it, as long as that helps.
  static Answer settled(const Problem& problem, Answer chosen) {
    std::int64_t sum = distance(problem, chosen);
    while (true) {
      std::vector<std::int64_t> ends;
      for (std::size_t i = 0; i + 1 < chosen.size(); ++i) {
        const std::int64_t middle = problem.X[chosen[i]] + problem.X[chosen[i + 1]];
        std::int64_t end = chosen[i] + 1;
        while (2 * problem.X[end] < middle) ++end;
        ends.push_back(end);
      }
      ends.push_back(problem.N);
      Answer moved = medians(ends);
      const std::int64_t less = distance(problem, moved);
      if (less >= sum) return chosen;
      chosen = std::move(moved);
      sum = less;
    }
  }

  static Answer between_gaps(const Problem& problem) {
    std::vector<std::int64_t> ends(problem.X.size() - 1);
    std::iota(ends.begin(), ends.end(), 1);
    std::ranges::stable_sort(ends, std::greater(),
                             [&](std::int64_t end) { return problem.X[end] - problem.X[end - 1]; });
    ends.resize(static_cast<std::size_t>(problem.K) - 1);
    std::ranges::sort(ends);
    ends.push_back(problem.N);
    return medians(ends);
  }
};
REDQUEEN_ENVIRONMENT(Axis_KCenter);

}  // namespace
}  // namespace redqueen
