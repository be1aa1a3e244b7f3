#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/geometry/point.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SquareUndamagedPointCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "SquareUndamagedPointCounting",
      .published = true,
      .family = Family::kGeometry,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the squares, of any direction, with corners on a lattice less some points.",
      .levels =
          "The bound on sides and damaged points starts at 2 and grows by a tenth and one each "
          "level; beyond level 50 there are too many pairs of damaged points.",
      .rewards = "-1 malformed or negative, else (smaller / larger)^10 of answer and number.",
      .differences =
          "Sides lie in the upper half of their range, and of several draws every answer is as "
          "likely; the published problems of low levels mostly have the answer 0 or 1. From a "
          "bound "
          "of 4 on, some square has two damaged corners.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 50,
  };

  static constexpr std::int64_t kMaxSide = 5'000;
  static constexpr std::size_t kMaxDamaged = 2'000;
  static constexpr std::int64_t kFewPlaces = 60;  // on larger lattices answers differ anyway
  static constexpr int kDraws = 8;
  static constexpr std::int64_t kSomePlaces = 4;

  struct Config {
    std::int64_t MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    std::int64_t MAX_N_M = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::vector<Point> damaged_points;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N_M, N, M, damaged_points, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const bool small = config.MAX_N_M * config.MAX_N_M <= kFewPlaces;
    return draw_spread(small ? kDraws : 1, rng, [&] {
      using Draft = std::pair<std::int64_t, Problem>;
      Problem draft = draw(config, rng);
      draft.reference_answer = whole_squares(draft);
      const bool simple = draft.reference_answer == squares_if_apart(draft);
      if (simple && config.MAX_N_M >= kSomePlaces) return std::optional<Draft>();
      return std::optional<Draft>({draft.reference_answer, std::move(draft)});
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M,
                    .N = rng.integer(1, config.MAX_N_M),
                    .M = rng.integer(1, config.MAX_N_M),
                    .damaged_points = {},
                    .reference_answer = 0};
    const std::int64_t places = (problem.N + 1) * (problem.M + 1);
    const auto damaged = rng.integer(1, std::min(problem.N * problem.M, config.MAX_N_M));
    for (const std::int64_t place : rng.sample(0, places - 1, static_cast<std::size_t>(damaged))) {
      problem.damaged_points.push_back({place / (problem.M + 1), place % (problem.M + 1)});
    }
    problem.reference_answer = whole_squares(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxSide); !sound) return sound;
    if (auto sound = within("M", problem.M, 1, kMaxSide); !sound) return sound;
    if (problem.damaged_points.size() > kMaxDamaged) {
      return failure("\"damaged_points\": more than {} of them", kMaxDamaged);
    }
    for (const auto& [x, y] : problem.damaged_points) {
      if (x < 0 || x > problem.N || y < 0 || y > problem.M) {
        return failure("\"damaged_points\": ({}, {}) is not on the lattice", x, y);
      }
    }
    std::vector<Point> sorted = problem.damaged_points;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) {
      return failure("\"damaged_points\": a point is listed twice");
    }
    return reference_is("reference_answer", problem.reference_answer, whole_squares(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Consider all points (x, y) with integer coordinates such that 0 <= x <= {} and "
        "0 <= y <= {}. These ones of them are damaged:\n"
        "{}\n"
        "How many squares of positive size have all four corners among the points that are not "
        "damaged? Squares may have any direction; their sides need not be parallel to the axes. "
        "Damaged points inside a square or on its sides do not matter. Squares with different sets "
        "of corners count separately.\n"
        "Answer with one integer.",
        problem.N, problem.M, format_points(problem.damaged_points));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"all squares, damaged or not", format_answer(all_squares(problem.N, problem.M))},
            {"as if no square had two damaged corners", format_answer(squares_if_apart(problem))}};
  }

 private:
  static std::int64_t squares_if_apart(const Problem& problem) {
    std::int64_t count = all_squares(problem.N, problem.M);
    for (const Point& point : problem.damaged_points) count -= squares_at(problem, point);
    return std::max<std::int64_t>(0, count);
  }

  static Problem draw(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M};
    problem.N = draw_upper_half(1, config.MAX_N_M, rng);
    problem.M = draw_upper_half(1, config.MAX_N_M, rng);
    const std::int64_t places = (problem.N + 1) * (problem.M + 1);
    const std::int64_t count = rng.integer(1, std::min(problem.N * problem.M, config.MAX_N_M));
    for (const std::int64_t place : rng.sample(0, places - 1, static_cast<std::size_t>(count))) {
      problem.damaged_points.push_back({place % (problem.N + 1), place / (problem.N + 1)});
    }
    return problem;
  }

  // A square has a smallest box around it with sides s along the axes; s squares share a box.
  static std::int64_t all_squares(std::int64_t n, std::int64_t m) {
    std::int64_t count = 0;
    for (std::int64_t s = 1; s <= std::min(n, m); ++s) count += (n - s + 1) * (m - s + 1) * s;
    return count;
  }

  // The squares with a corner there: the next corner counterclockwise is (a, b) away, in one of
  // four quarters.
  static std::int64_t squares_at(const Problem& problem, const Point& point) {
    const std::int64_t left = point[0];
    const std::int64_t right = problem.N - left;
    const std::int64_t down = point[1];
    const std::int64_t up = problem.M - down;
    // a ≥ 1 forward, b ≥ 0 to the left; the square reaches a forward, b back and a + b sideways.
    const auto quarter = [](std::int64_t forward, std::int64_t back, std::int64_t sideways) {
      std::int64_t count = 0;
      for (std::int64_t a = 1; a <= std::min(forward, sideways); ++a) {
        count += std::min(back, sideways - a) + 1;
      }
      return count;
    };
    return quarter(right, left, up) + quarter(up, down, left) + quarter(left, right, down) +
           quarter(down, up, right);
  }

  // All squares, less one for each damaged corner, plus c − 1 for a square with c ≥ 2 of them. Such
  // a square comes up for each of its c (c − 1) / 2 pairs, so it counts 2/c each time. O(D²).
  static std::int64_t whole_squares(const Problem& problem) {
    const std::int64_t columns = problem.N + 1;
    std::vector<char> damaged(static_cast<std::size_t>(columns * (problem.M + 1)), 0);
    for (const auto& [x, y] : problem.damaged_points) damaged[y * columns + x] = 1;
    const auto on_lattice = [&](const Point& p) {
      return p[0] >= 0 && p[0] <= problem.N && p[1] >= 0 && p[1] <= problem.M;
    };
    std::int64_t count = all_squares(problem.N, problem.M);
    std::int64_t sixths = 0;
    const auto add_square = [&](const Point& third, const Point& fourth) {
      if (!on_lattice(third) || !on_lattice(fourth)) return;
      sixths += 12 / (2 + damaged[third[1] * columns + third[0]] +
                      damaged[fourth[1] * columns + fourth[0]]);
    };
    for (auto p = problem.damaged_points.begin(); p != problem.damaged_points.end(); ++p) {
      count -= squares_at(problem, *p);
      for (auto q = problem.damaged_points.begin(); q != p; ++q) {
        const auto [a, b] = minus(*q, *p);
        const auto& [x, y] = *p;
        add_square({x - b, y + a}, {x + a - b, y + a + b});  // on one side of them
        add_square({x + b, y - a}, {x + a + b, y + b - a});  // on the other side
        if ((a + b) % 2 == 0) {                              // they are opposite corners
          add_square({x + (a - b) / 2, y + (a + b) / 2}, {x + (a + b) / 2, y + (b - a) / 2});
        }
      }
    }
    return count + sixths / 6;
  }
};
REDQUEEN_ENVIRONMENT(SquareUndamagedPointCounting);

}  // namespace
}  // namespace redqueen
