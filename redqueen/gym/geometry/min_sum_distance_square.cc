#include <algorithm>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MinSumDistanceSquare {
  static constexpr Card card{
      .name = "MinSumDistanceSquare",
      .published = true,
      .family = Family::kGeometry,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kMinimise,
      .task =
          "Find the place on a line with the least sum of squared distances from the nearest "
          "points of several groups.",
      .levels =
          "From 2 points, a tenth and one more each level, with coordinates up to as many; beyond "
          "level 60 sums of squares do not fit 64 bits.",
      .rewards = "-1 malformed, else (least sum / sum)^5.",
      .differences =
          "The least sum is never 0. From 4 points on, some group has several points, and problems "
          "are drawn again where the points nearest to 0 or to the mean of all points are the ones "
          "that count; from 6 on, so are those where the least or the greatest of all groups do.",
      .small_answer_space =
          "Up to level 3, with 4 or 5 points in two or three groups, there are few choices of a "
          "point from each group, and the least or the greatest are often best.",
      .guess_until_level = 3,
      .version = 2,
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxPoints = 5'000;
  static constexpr std::int64_t kMaxCoordinate = 10'000;
  static constexpr int kFewPoints = 4;
  static constexpr int kSomePoints = 6;

  struct Config {
    int M = 0;
    REDQUEEN_FIELDS(M)
  };
  struct Problem {
    int M = 0;
    int N = 0;
    std::vector<std::vector<std::int64_t>> points;
    std::int64_t gold_answer = 0;  // the least sum, times N²
    REDQUEEN_FIELDS(M, N, points, gold_answer)
  };
  using Answer = std::int64_t;  // the place, times N

  static Config at_level(int level, Rng&) { return {.M = grow_by_tenth(2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      const std::int64_t m = config.M;
      const std::int64_t groups = rng.integer(2, m < kFewPoints ? m : std::max(m / 2, m - 2));
      Problem problem{.M = config.M, .N = static_cast<int>(groups), .points = {}, .gold_answer = 0};
      problem.points.resize(groups);
      for (std::int64_t i = 0; i < m; ++i) {
        const auto group = i < groups ? static_cast<std::size_t>(i)
                                      : static_cast<std::size_t>(rng.below(problem.points.size()));
        problem.points[group].push_back(rng.integer(-m, m));
      }
      const auto [place, least] = best_place(problem);
      if (least == 0) return std::nullopt;
      problem.gold_answer = least;
      if (m < kFewPoints) return problem;
      // In the order of shortcuts(); fewer points leave hardly anything to the first three rules.
      const std::vector<NamedAnswer> rules = shortcuts(problem);
      const std::size_t excluded = m < kSomePoints ? 3 : rules.size();
      for (std::size_t i = 0; i < excluded; ++i) {
        if (cost_of(problem, *parse_int64(rules[i].answer)) == least) return std::nullopt;
      }
      return problem;
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.M = config.M,
                    .N = static_cast<int>(rng.integer(2, config.M)),
                    .points = {},
                    .gold_answer = 0};
    problem.points.resize(problem.N);
    for (std::size_t i = 0; i < static_cast<std::size_t>(config.M); ++i) {
      const std::size_t group = i < problem.points.size()
                                    ? i
                                    : static_cast<std::size_t>(rng.below(problem.points.size()));
      problem.points[group].push_back(rng.integer(-config.M, config.M));
    }
    problem.gold_answer = best_place(problem).second;
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxPoints); !sound) return sound;
    if (problem.points.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"points\": expected \"N\" groups, found {}", problem.points.size());
    }
    std::size_t points = 0;
    for (const auto& group : problem.points) {
      if (group.empty()) return failure("\"points\": a group is empty");
      points += group.size();
      for (const std::int64_t point : group) {
        if (auto sound = within("points", point, -kMaxCoordinate, kMaxCoordinate); !sound) {
          return sound;
        }
      }
    }
    if (points > kMaxPoints) return failure("\"points\": more than {} points", kMaxPoints);
    return reference_is("gold_answer", problem.gold_answer, best_place(problem).second);
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (int i = 0; i < problem.N; ++i) {
      append_format(list, "group {}: {}\n", i + 1, format_answer(problem.points[i]));
    }
    return fmt::format(
        "There are {0} groups of points on a number line, at these places:\n"
        "{1}The cost of a real number X is the sum over all groups of (X - p)^2, where p is the "
        "point of the group that is nearest to X. The least possible cost is reached at some X "
        "for which {0}·X is an integer. Find such an X.\n"
        "Answer with the integer {0}·X (not with X itself).",
        problem.N, list);
  }

  static double score(const Problem& problem, Answer answer) {
    // Beyond this, squares would not fit and the reward is 0 to all digits.
    constexpr std::int64_t kFar = std::int64_t{1} << 50;
    if (answer > kFar || answer < -kFar) return 0.0;
    return minimise_reward(cost_of(problem, answer), Int128{problem.gold_answer}, kBeta);
  }

  static Answer solve(const Problem& problem) { return best_place(problem).first; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::int64_t far = std::int64_t{problem.N} * problem.M;
    return rng.integer(-far, far);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t sum = 0;
    std::int64_t count = 0;
    for (const auto& group : problem.points) {
      sum = std::accumulate(group.begin(), group.end(), sum);
      count += std::ssize(group);
    }
    const auto sum_of = [&](auto choose) {
      std::int64_t total = 0;
      for (const auto& group : problem.points) total += choose(group);
      return format_answer(total);
    };
    // Nearest to a fraction: numerator, denominator.
    const auto nearest_to = [&](std::int64_t top, std::int64_t bottom) {
      return sum_of([&](const auto& group) {
        return *std::ranges::min_element(
            group, {}, [&](std::int64_t point) { return std::abs(point * bottom - top); });
      });
    };
    return {{"the sum of the points nearest to 0", nearest_to(0, 1)},
            {"the sum of the points nearest to the mean of all", nearest_to(sum, count)},
            {"the mean of all points, times the number of groups",
             format_answer(sum * problem.N / count)},
            {"the sum of the least points",
             sum_of([](const auto& group) { return std::ranges::min(group); })},
            {"the sum of the greatest points",
             sum_of([](const auto& group) { return std::ranges::max(group); })}};
  }

 private:
  // Times N². `scaled` is N·X, at most 2^50 in size.
  static Int128 cost_of(const Problem& problem, std::int64_t scaled) {
    Int128 cost = 0;
    for (const auto& group : problem.points) {
      std::int64_t nearest = std::numeric_limits<std::int64_t>::max();
      for (const std::int64_t point : group) {
        nearest = std::min(nearest, std::abs(scaled - point * problem.N));
      }
      cost += static_cast<Int128>(nearest) * nearest;
    }
    return cost;
  }

  // N·X and N²·cost of a best place. From left to right, a group changes from one point to the next
  // halfway between them; for points p that are fixed, X = Σp/N is best and N²·cost is
  // N·(N·Σp² − (Σp)²). The best choice of points is one that some X makes.
  static std::pair<std::int64_t, std::int64_t> best_place(const Problem& problem) {
    struct Change {
      std::int64_t twice_place;
      std::int64_t from;
      std::int64_t to;
    };
    std::vector<Change> changes;
    std::int64_t sum = 0;
    std::int64_t squares = 0;
    for (std::vector<std::int64_t> group : problem.points) {
      std::ranges::sort(group);
      sum += group.front();
      squares += group.front() * group.front();
      for (std::size_t i = 1; i < group.size(); ++i) {
        changes.push_back({group[i - 1] + group[i], group[i - 1], group[i]});
      }
    }
    std::ranges::sort(changes, {}, &Change::twice_place);
    const std::int64_t n = problem.N;
    std::pair best(sum, n * squares - sum * sum);
    for (const auto& [place, from, to] : changes) {
      sum += to - from;
      squares += to * to - from * from;
      const std::int64_t cost = n * squares - sum * sum;
      if (cost < best.second) best = {sum, cost};
    }
    best.second *= n;
    return best;
  }
};
REDQUEEN_ENVIRONMENT(MinSumDistanceSquare);

}  // namespace
}  // namespace redqueen
