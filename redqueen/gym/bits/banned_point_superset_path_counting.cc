#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct BannedPointSupersetPathCounting {
  static constexpr Card card{
      .name = "BannedPointSupersetPathCounting",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo MOD, the paths from (0, 0, 0) to a point on which "
          "every step adds bits to "
          "one coordinate, around forbidden points.",
      .levels =
          "The bound on the coordinates starts at 1 and that on the "
          "forbidden points at 10; both "
          "grow by a tenth and one a level.",
      .rewards = "-1 malformed, -0.5 outside 0 to MOD - 1, 0 wrong, 1 right.",
      .differences =
          "There is at least one path, at most half of the points "
          "between are forbidden, the "
          "modulus is at least 1000, and counts are drawn evenly "
          "among those that come up; the "
          "count was 0 in up to half of the problems.",
      .small_answer_space = "At level 0 there are at most six paths.",
      .guess_until_level = 0,
      .max_level = 60,
  };

  static constexpr int kDraws = 8;
  static constexpr int kMaxBits = 20;
  static constexpr std::int64_t kLargestModulus = 10'000;
  static constexpr std::size_t kMaxObstacles = 2000;  // the time is quadratic

  using Point = std::array<std::int64_t, 3>;

  struct Config {
    std::int64_t MAX_N_M_R = 0;
    std::int64_t MAX_O = 0;
    REDQUEEN_FIELDS(MAX_N_M_R, MAX_O)
  };
  struct Problem {
    std::int64_t MAX_N_M_R = 0;
    std::int64_t MAX_O = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t R = 0;
    std::int64_t O = 0;
    std::vector<Point> obstacles;
    std::int64_t MOD = 0;
    REDQUEEN_FIELDS(MAX_N_M_R, MAX_O, N, M, R, O, obstacles, MOD)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) {
    return {.MAX_N_M_R = grow_by_tenth(1, level), .MAX_O = grow_by_tenth(10, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<std::int64_t, Problem>> {
      Problem problem;
      problem.MAX_N_M_R = config.MAX_N_M_R;
      problem.MAX_O = config.MAX_O;
      problem.N = rng.integer(0, config.MAX_N_M_R);
      problem.M = rng.integer(0, config.MAX_N_M_R);
      problem.R = rng.integer(0, config.MAX_N_M_R);
      int bits = 0;
      for (const std::int64_t side : target(problem)) {
        bits += std::popcount(static_cast<std::uint64_t>(side));
      }
      if (bits < 2) return std::nullopt;
      // Points between start and target, by the bits they have of the target's.
      const std::int64_t between = (std::int64_t{1} << bits) - 2;
      problem.O = rng.integer(1, std::min(config.MAX_O, between / 2));
      for (const std::int64_t chosen :
           rng.sample(1, between, static_cast<std::size_t>(problem.O))) {
        problem.obstacles.push_back(spread_over(target(problem), chosen));
      }
      problem.MOD = rng.integer(kLargestModulus / 10, kLargestModulus);
      const std::int64_t count = solve(problem);
      if (count == 0) return std::nullopt;
      return std::pair(count, std::move(problem));
    });
  }

  // Any target with two bits or more. Of each coordinate of a forbidden point, the number of bits
  // is drawn first; all points between may be forbidden, and any modulus from 2 will do.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem;
    problem.MAX_N_M_R = config.MAX_N_M_R;
    problem.MAX_O = config.MAX_O;
    int bits = 0;
    do {
      problem.N = rng.integer(0, config.MAX_N_M_R);
      problem.M = rng.integer(0, config.MAX_N_M_R);
      problem.R = rng.integer(0, config.MAX_N_M_R);
      bits = 0;
      for (const std::int64_t side : target(problem)) {
        bits += std::popcount(static_cast<std::uint64_t>(side));
      }
    } while (bits < 2);
    problem.O = rng.integer(1, std::min(config.MAX_O, (std::int64_t{1} << bits) - 2));
    if (problem.O > static_cast<std::int64_t>(kMaxObstacles)) throw Retry();
    const Point end = target(problem);
    std::set<Point> found;
    while (std::ssize(problem.obstacles) < problem.O) {
      Point point;
      for (std::size_t i = 0; i < point.size(); ++i) point[i] = draw_subset(end[i], rng);
      if (point == Point{} || point == end || !found.insert(point).second) continue;
      problem.obstacles.push_back(point);
    }
    rng.shuffle(problem.obstacles);
    problem.MOD = rng.integer(2, kLargestModulus);
    return problem;
  }

  // Any number of the bits of a mask, each number as likely, and then any of them.
  static std::int64_t draw_subset(std::int64_t mask, Rng& rng) {
    std::vector<std::int64_t> bits;
    for (std::int64_t rest = mask; rest != 0; rest &= rest - 1) bits.push_back(rest & -rest);
    rng.shuffle(bits);
    bits.resize(rng.below(bits.size() + 1));
    std::int64_t subset = 0;
    for (const std::int64_t bit : bits) subset |= bit;
    return subset;
  }

  static Status check(const Problem& problem) {
    constexpr std::int64_t kMost = (std::int64_t{1} << kMaxBits) - 1;
    for (const auto& [key, side] :
         {std::pair{"N", problem.N}, std::pair{"M", problem.M}, std::pair{"R", problem.R}}) {
      if (Status fits = within(key, side, 0, kMost); !fits) return fits;
    }
    if (target(problem) == Point{}) return failure("\"N\", \"M\", \"R\": all 0");
    const std::size_t count = problem.obstacles.size();
    if (count > kMaxObstacles || problem.O != static_cast<std::int64_t>(count)) {
      return failure("\"obstacles\": expected \"O\" points, {} at most, found {}", kMaxObstacles,
                     count);
    }
    for (const Point& point : problem.obstacles) {
      for (const std::int64_t side : point) {
        if (Status fits = within("obstacles", side, 0, kMost); !fits) return fits;
      }
      if (point == Point{} || point == target(problem)) {
        return failure("\"obstacles\": the start or the target is among them");
      }
    }
    return within("MOD", problem.MOD, 1, 1'000'000'000);
  }

  static std::string prompt(const Problem& problem) {
    std::string points;
    for (const Point& point : problem.obstacles) {
      points += fmt::format("({}, {}, {}) ", point[0], point[1], point[2]);
    }
    if (!points.empty()) points.pop_back();
    return fmt::format(
        "A path leads through points with three integer coordinates ≥ 0, from (0, 0, 0) to ({0}, "
        "{1}, {2}). Every step changes exactly one coordinate, from some c to a different c' that "
        "has a binary 1 wherever c has one: c AND c' = c, bitwise. A path must not visit any point "
        "of this list:\n"
        "{3}\n"
        "Two paths are different if their sequences of visited points differ. How many paths are "
        "there?\n"
        "Answer with the count modulo {4}, one integer from 0 to {5}.",
        problem.N, problem.M, problem.R, points, problem.MOD, problem.MOD - 1);
  }

  static double score(const Problem& problem, Answer answer, Answer right) {
    if (answer < 0 || answer >= problem.MOD) return kInvalidReward;
    return exact_reward(answer == right);
  }

  // Unless something is forbidden, the number of paths between two points
  // depends on how many bits are added to each coordinate only. From it the
  // paths that meet a forbidden point are taken away, each at the first one
  // that it meets.
  static Answer solve(const Problem& problem) {
    const Point end = target(problem);
    std::vector<Point> points = problem.obstacles;
    std::erase_if(points, [&](const Point& point) { return !is_subset(point, end); });
    points.push_back(end);
    std::ranges::sort(points);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    const FreePaths free(end, problem.MOD);
    std::vector<std::int64_t> paths;
    for (const Point& point : points) {
      std::int64_t count = free.between(Point{}, point);
      for (std::size_t i = 0; i < paths.size(); ++i) {
        if (!is_subset(points[i], point)) continue;
        count = (count + (problem.MOD - paths[i]) * free.between(points[i], point)) % problem.MOD;
      }
      paths.push_back(count);
    }
    return paths.back();
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, std::min(2 * solve(problem) + 8, problem.MOD - 1));
  }

 private:
  static Point target(const Problem& problem) { return {problem.N, problem.M, problem.R}; }

  static bool is_subset(const Point& a, const Point& b) {
    return (a[0] & b[0]) == a[0] && (a[1] & b[1]) == a[1] && (a[2] & b[2]) == a[2];
  }

  // The bits of `chosen`, from the lowest, one for every bit of the three sides.
  static Point spread_over(const Point& sides, std::int64_t chosen) {
    Point point{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::int64_t rest = sides[i]; rest != 0; rest &= rest - 1, chosen >>= 1) {
        if ((chosen & 1) != 0) point[i] |= rest & -rest;
      }
    }
    return point;
  }

  // Paths without forbidden points, modulo something, by the bits added to each
  // coordinate: the last step adds some of the bits of one of them.
  class FreePaths {
   public:
    FreePaths(const Point& end, std::int64_t modulus) {
      for (std::size_t i = 0; i < 3; ++i) {
        sizes_[i] = std::popcount(static_cast<std::uint64_t>(end[i])) + 1;
      }
      counts_.resize(static_cast<std::size_t>(sizes_[0]) * sizes_[1] * sizes_[2]);
      for (int x = 0; x < sizes_[0]; ++x) {
        for (int y = 0; y < sizes_[1]; ++y) {
          for (int z = 0; z < sizes_[2]; ++z) {
            std::int64_t count = x + y + z == 0 ? 1 : 0;
            for (int i = 0; i < x; ++i) count += choose(x, i) * counts_[place(i, y, z)] % modulus;
            for (int i = 0; i < y; ++i) count += choose(y, i) * counts_[place(x, i, z)] % modulus;
            for (int i = 0; i < z; ++i) count += choose(z, i) * counts_[place(x, y, i)] % modulus;
            counts_[place(x, y, z)] = count % modulus;
          }
        }
      }
    }

    // `from` is a subset of `to`.
    std::int64_t between(const Point& from, const Point& to) const {
      std::array<int, 3> added{};
      for (std::size_t i = 0; i < 3; ++i) {
        added[i] = std::popcount(static_cast<std::uint64_t>(to[i] ^ from[i]));
      }
      return counts_[place(added[0], added[1], added[2])];
    }

   private:
    static std::int64_t choose(int n, int k) {
      std::int64_t ways = 1;
      for (int i = 1; i <= k; ++i) ways = ways * (n - k + i) / i;
      return ways;
    }

    std::size_t place(int x, int y, int z) const {
      return static_cast<std::size_t>((x * sizes_[1] + y) * sizes_[2] + z);
    }

    std::array<int, 3> sizes_{};
    std::vector<std::int64_t> counts_;
  };
};
REDQUEEN_REMEMBERING_ENVIRONMENT(BannedPointSupersetPathCounting);

}  // namespace
}  // namespace redqueen
