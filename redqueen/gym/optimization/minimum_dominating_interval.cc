#include <algorithm>
#include <array>
#include <limits>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/segments.h"

namespace redqueen {
namespace {

struct Minimum_DominatingInterval {
  static constexpr Card card{
      .name = "Minimum_DominatingInterval",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose K points of a line, each in some interval, such that the price of all intervals "
          "with a chosen point is least.",
      .levels =
          "The number of points grows from 3 by a tenth and one a level; there are twice as many "
          "intervals, and K is a share of the points. Beyond level 36 the best choice would take "
          "long to find.",
      .rewards =
          "-1 malformed, -0.5 not K different points, or a point outside all intervals, else "
          "(least price / price)^5.",
      .differences =
          "From 5 points on, the shares of the published ladder are left out for which K would be "
          "1, or all points but one, and a problem is drawn again that is solved by K "
          "neighbouring points, by the K points that are cheapest on their own, or by adding the "
          "cheapest point K times.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 36,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kDensities{0.1, 0.2, 0.3, 0.5, 0.7, 0.9};
  static constexpr int kStrictFrom = 5;
  static constexpr int kDraws = 500;
  static constexpr int kMaxPoints = 400;
  static constexpr std::int64_t kMaxPrice = 1'000'000;

  struct Config {
    int N = 0;
    int M = 0;
    double K_density = 0;
    REDQUEEN_FIELDS(N, M, K_density)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<PricedSegment> intervals;
    int K = 0;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, M, intervals, K, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    std::vector<double> densities;
    for (const double density : kDensities) {
      const int k = chosen_of(n, density);
      if (n < kStrictFrom || (k >= 2 && k <= n - 2)) densities.push_back(density);
    }
    return {.N = n, .M = std::min(n * (n + 1) / 2, 2 * n), .K_density = rng.choice(densities)};
  }

  static std::vector<Segment> all_segments(int n) {
    std::vector<Segment> all;
    for (int left = 1; left <= n; ++left) {
      for (int right = left; right <= n; ++right) all.emplace_back(left, right);
    }
    return all;
  }

  static Problem generate(const Config& config, Rng& rng) {
    std::vector<Segment> all = all_segments(config.N);
    const auto draw = [&] {
      Problem problem = drawn(config, all, rng);
      problem.gold_answer = price_of(problem, solve(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (config.N < kStrictFrom) return true;
      const auto is_best = [&](const Answer& points) {
        return price_of(problem, points) == problem.gold_answer;
      };
      if (some_rule_is_best<Minimum_DominatingInterval>(problem, is_best)) return false;
      return config.N > kStrictFrom || !is_frequent(solve(problem)) || rng.chance(0.4);
    });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    return {.N = n, .M = std::min(n * (n + 1) / 2, 2 * n), .K_density = rng.choice(kDensities)};
  }

  static Problem published(const Config& config, Rng& rng) {
    std::vector<Segment> all = all_segments(config.N);
    Problem problem = drawn(config, all, rng);
    problem.gold_answer = price_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxPoints));
    RETURN_IF_ERROR(within("M", problem.M, 1, problem.N * (problem.N + 1) / 2));
    RETURN_IF_ERROR(
        check_segments("intervals", problem.intervals, problem.M, 1, problem.N, kMaxPrice));
    RETURN_IF_ERROR(within("K", problem.K, 1, std::ssize(covered_points(problem))));
    return reference_is("gold_answer", problem.gold_answer, price_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "The points 1 to {} lie on a line. Each of these lines gives an interval's number, its "
        "first point, its last point and its price; an interval holds all points from its first to "
        "its last:\n"
        "{}\n"
        "Choose exactly {} different points, each of which lies in at least one interval. You pay "
        "once for every interval that holds at least one of the chosen points. Choose such that "
        "the sum of what you pay is as small as possible.\n"
        "Answer with the chosen points in any order on one line, separated by spaces.",
        problem.N, format_segments(problem.intervals), problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K || !are_distinct_indices(problem.N, answer, 1)) {
      return kInvalidReward;
    }
    const Answer covered = covered_points(problem);
    for (const std::int64_t point : answer) {
      if (!std::ranges::binary_search(covered, point)) return kInvalidReward;
    }
    return minimise_reward(price_of(problem, answer), problem.gold_answer, kBeta);
  }

  // least[k][i]: what k points cost, the last of which is i. After a point, the next one adds the
  // intervals that hold it and begin behind the one before.
  static Answer solve(const Problem& problem) {
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 2;
    const auto columns = static_cast<std::size_t>(problem.N) + 1;
    const std::vector<std::int64_t> added = added_prices(problem);
    const Answer covered = covered_points(problem);
    std::vector<std::int64_t> least(columns, kNever);
    std::vector<std::int64_t> next(columns);
    std::vector<int> before(static_cast<std::size_t>(problem.K) * columns);
    least[0] = 0;
    for (int k = 0; k < problem.K; ++k) {
      next.assign(columns, kNever);
      for (const std::int64_t i : covered) {
        for (std::int64_t p = k == 0 ? 0 : k; p < i; ++p) {
          const std::int64_t price = least[p] + added[p * columns + i];
          if (price < next[i]) {
            next[i] = price;
            before[k * columns + i] = static_cast<int>(p);
          }
        }
      }
      std::swap(least, next);
    }
    Answer chosen;
    auto last = static_cast<int>(std::ranges::min_element(least) - least.begin());
    for (int k = problem.K - 1; k >= 0; --k) {
      chosen.push_back(last);
      last = before[k * columns + last];
    }
    std::ranges::reverse(chosen);
    return chosen;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer covered = covered_points(problem);
    rng.shuffle(covered);
    covered.resize(problem.K);
    return covered;
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    return visit("the point that adds least, again and again", added_one_by_one(problem)) ||
           visit("the points that are cheapest on their own", cheapest_alone(problem)) ||
           visit("the best neighbouring points", best_neighbours(problem));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(all_rules<Minimum_DominatingInterval>(problem));
    Answer first = covered_points(problem);
    first.resize(problem.K);
    named.push_back({"the first points", format_answer(first)});
    return named;
  }

 private:
  // Of five points, these are best more often than others.
  static bool is_frequent(const Answer& points) {
    return points == Answer{1, 3} || points == Answer{3, 5};
  }

  static int chosen_of(std::int64_t points, double density) {
    return std::max(1, static_cast<int>(density * static_cast<double>(points)));
  }

  // `all`: every interval, in any order; it is left in another one.
  static Problem drawn(const Config& config, std::vector<Segment>& all, Rng& rng) {
    constexpr std::int64_t kMostPrice = 10;
    Problem problem{.N = config.N, .M = config.M, .intervals = {}, .K = 0, .gold_answer = 0};
    problem.intervals.reserve(config.M);
    for (int i = 0; i < config.M; ++i) {
      std::swap(all[i], all[rng.integer(i, std::ssize(all) - 1)]);
      problem.intervals.emplace_back(all[i].first, all[i].second, rng.integer(1, kMostPrice));
    }
    problem.K = chosen_of(std::ssize(covered_points(problem)), config.K_density);
    return problem;
  }

  // Ascending.
  static Answer covered_points(const Problem& problem) {
    std::vector<int> change(static_cast<std::size_t>(problem.N) + 2);
    for (const auto& [left, right, price] : problem.intervals) {
      ++change[left];
      --change[right + 1];
    }
    Answer points;
    int depth = 0;
    for (int point = 1; point <= problem.N; ++point) {
      depth += change[point];
      if (depth > 0) points.push_back(point);
    }
    return points;
  }

  // [p (N + 1) + i]: the price of all intervals that hold i and begin behind p.
  static std::vector<std::int64_t> added_prices(const Problem& problem) {
    const std::int64_t columns = problem.N + 1;
    std::vector<std::int64_t> added(static_cast<std::size_t>(columns * columns));
    for (const auto& [left, right, price] : problem.intervals) {
      for (int i = left; i <= right; ++i) added[(left - 1) * columns + i] += price;
    }
    for (std::int64_t p = problem.N - 1; p-- > 0;) {
      for (std::int64_t i = 1; i < columns; ++i) {
        added[p * columns + i] += added[(p + 1) * columns + i];
      }
    }
    return added;
  }

  static std::int64_t price_of(const Problem& problem, const Answer& points) {
    std::vector<int> chosen(static_cast<std::size_t>(problem.N) + 1);  // up to each point
    for (const std::int64_t point : points) chosen[point] = 1;
    for (std::size_t i = 1; i < chosen.size(); ++i) chosen[i] += chosen[i - 1];
    std::int64_t sum = 0;
    for (const auto& [left, right, price] : problem.intervals) {
      if (chosen[right] > chosen[left - 1]) sum += price;
    }
    return sum;
  }

  static Answer best_neighbours(const Problem& problem) {
    const Answer covered = covered_points(problem);
    Answer best;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (auto first = covered.begin(); covered.end() - first >= problem.K; ++first) {
      Answer points(first, first + problem.K);
      if (const std::int64_t price = price_of(problem, points); price < least) {
        least = price;
        best = std::move(points);
      }
    }
    return best;
  }

  static Answer cheapest_alone(const Problem& problem) {
    const std::vector<std::int64_t> added = added_prices(problem);
    Answer points = covered_points(problem);
    std::ranges::stable_sort(points, {}, [&](std::int64_t point) { return added[point]; });
    points.resize(problem.K);
    return points;
  }

  static Answer added_one_by_one(const Problem& problem) {
    const Answer covered = covered_points(problem);
    std::vector<char> paid(problem.intervals.size());
    std::vector<char> chosen(static_cast<std::size_t>(problem.N) + 1);
    std::vector<std::int64_t> costs(chosen.size());
    Answer points;
    while (std::ssize(points) < problem.K) {
      costs.assign(costs.size(), 0);
      for (std::size_t i = 0; i < paid.size(); ++i) {
        if (paid[i]) continue;
        const auto& [left, right, price] = problem.intervals[i];
        for (int point = left; point <= right; ++point) costs[point] += price;
      }
      std::int64_t best = 0;
      for (const std::int64_t point : covered) {
        if (!chosen[point] && (best == 0 || costs[point] < costs[best])) best = point;
      }
      chosen[best] = 1;
      points.push_back(best);
      for (std::size_t i = 0; i < paid.size(); ++i) {
        const auto& [left, right, price] = problem.intervals[i];
        if (left <= best && best <= right) paid[i] = 1;
      }
    }
    return points;
  }
};
REDQUEEN_ENVIRONMENT(Minimum_DominatingInterval);

}  // namespace
}  // namespace redqueen
