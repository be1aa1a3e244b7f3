#include <algorithm>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SkaRockGarden {
  static constexpr Card card{
      .name = "SkaRockGarden",
      .published = true,
      .family = Family::kGeometry,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kQuality,
      .task =
          "Exchange the coordinates of some points, at a price, such that their bounding box has "
          "the least perimeter, as cheaply as possible.",
      .levels =
          "From 3 points, a tenth and one more each level, coordinates of up to twice as many; "
          "beyond level 74 the list would be too long to read.",
      .rewards =
          "-1 malformed, else 0.5 (least perimeter / perimeter)^5 and, with the least perimeter, "
          "0.5 (least price / price)^5 more.",
      .differences =
          "Some points lie near a place of the diagonal and the others far from the diagonal, so "
          "that what is exchanged matters. Problems are drawn again that are solved by exchanging "
          "nothing and, from 5 points on, all points below the diagonal or all above it.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Three points, at level 0, have eight answers, and the least perimeter alone pays "
          "half. Five points, at level 2, have 32, one of which is right in a fifth of the "
          "problems.",
      .guess_until_level = 2,
      .source = "POI XIV (2006/07): Rock garden (SKA)",
      .version = 2,
      .max_level = 74,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxPoints = 100'000;
  static constexpr std::int64_t kMaxCoordinate = 1'000'000'000;
  static constexpr std::int64_t kMaxPrice = 1'000'000;
  static constexpr int kFewPoints = 5;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> X;
    std::vector<std::int64_t> Y;
    std::vector<std::int64_t> M;
    std::int64_t gold_answer_perimeter = 0;
    std::int64_t gold_answer_cost = 0;
    REDQUEEN_FIELDS(N, X, Y, M, gold_answer_perimeter, gold_answer_cost)
  };
  using Answer = std::string;  // a 1 for every point whose coordinates are exchanged, else a 0

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.N = config.N};
      const std::int64_t n = config.N;
      const std::int64_t middle = rng.integer(n - n / 4, n + n / 4);
      const std::int64_t part = n / 3;
      for (std::int64_t i = 0; i < n; ++i) {
        const bool near = rng.chance(0.4);
        std::int64_t x = rng.integer(near ? middle - part : 0, middle + part);
        std::int64_t y = rng.integer(middle - part, near ? middle + part : 2 * n);
        if (x > y) std::swap(x, y);
        if (rng.chance(0.5)) std::swap(x, y);
        problem.X.push_back(x);
        problem.Y.push_back(y);
        problem.M.push_back(rng.integer(1, n));
      }
      const Outcome best = outcome(problem, solve(problem));
      problem.gold_answer_perimeter = best.perimeter;
      problem.gold_answer_cost = best.cost;
      const auto is_solved_by = [&](const Answer& rule) {
        return score(problem, rule) == kSolvedReward;
      };
      if (is_solved_by(nothing(problem))) return std::nullopt;
      if (config.N < kFewPoints) return problem;
      if (is_solved_by(below(problem)) || is_solved_by(above(problem))) return std::nullopt;
      return problem;
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .X = draw_numbers(n, 0, 2 * n, rng),
                    .Y = draw_numbers(n, 0, 2 * n, rng),
                    .M = draw_numbers(n, 1, n, rng)};
    const Outcome best = outcome(problem, solve(problem));
    problem.gold_answer_perimeter = best.perimeter;
    problem.gold_answer_cost = best.cost;
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxPoints); !sound) return sound;
    for (const auto* list : {&problem.X, &problem.Y, &problem.M}) {
      if (list->size() != static_cast<std::size_t>(problem.N)) {
        return failure("\"X\", \"Y\", \"M\": expected \"N\" numbers each");
      }
    }
    for (int i = 0; i < problem.N; ++i) {
      if (auto sound = within("X", problem.X[i], 0, kMaxCoordinate); !sound) return sound;
      if (auto sound = within("Y", problem.Y[i], 0, kMaxCoordinate); !sound) return sound;
      if (auto sound = within("M", problem.M[i], 1, kMaxPrice); !sound) return sound;
    }
    const Outcome best = outcome(problem, solve(problem));
    return reference_is("gold_answer_perimeter", problem.gold_answer_perimeter, best.perimeter)
        .and_then(
            [&] { return reference_is("gold_answer_cost", problem.gold_answer_cost, best.cost); });
  }

  static std::string prompt(const Problem& problem) {
    std::string rows;
    for (int i = 0; i < problem.N; ++i) {
      append_format(rows, "{}: {} {} {}\n", i, problem.X[i], problem.Y[i], problem.M[i]);
    }
    return fmt::format(
        "There are {0} points, numbered 0 to {1}. Each of these lines gives the number of a point, "
        "its coordinates x and y, and its price:\n"
        "{2}For any of the points you may exchange the two coordinates, so that (x, y) becomes "
        "(y, x), and pay its price. After that, the smallest rectangle with sides parallel to the "
        "axes that contains all points has the perimeter 2·((largest x - least x) + (largest y - "
        "least y)). First of all, this perimeter must be as small as possible; among all ways to "
        "reach the least perimeter, the sum of the prices paid must be as small as possible.\n"
        "Answer with {0} digits in a row without spaces, one for each point in the order of their "
        "numbers: 1 if its coordinates are exchanged, 0 if not.",
        problem.N, problem.N - 1, rows);
  }

  static std::optional<Answer> parse(const Problem& problem, std::string_view answer) {
    answer = trim(answer);
    if (answer.size() != static_cast<std::size_t>(problem.N)) return std::nullopt;
    if (answer.find_first_not_of("01") != std::string_view::npos) return std::nullopt;
    return std::string(answer);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const auto [perimeter, cost] = outcome(problem, answer);
    double reward = 0.5 * minimise_reward(perimeter, problem.gold_answer_perimeter, kBeta);
    if (perimeter == problem.gold_answer_perimeter) {
      reward += 0.5 * minimise_reward(cost, problem.gold_answer_cost, kBeta);
    }
    return reward;
  }

  // With the lesser coordinates of all points in [a, b] and the greater ones in [c, d], no
  // rectangle has a smaller perimeter than [a, b] × [c, d], and the only others as good exchange
  // ends of the two ranges.
  static Answer solve(const Problem& problem) {
    Range lesser{kMaxCoordinate, 0};
    Range greater{kMaxCoordinate, 0};
    for (int i = 0; i < problem.N; ++i) {
      lesser.widen(std::min(problem.X[i], problem.Y[i]));
      greater.widen(std::max(problem.X[i], problem.Y[i]));
    }
    const Range low{lesser.from, greater.to};
    const Range high{greater.from, lesser.to};
    Answer best;
    std::int64_t least = -1;
    for (const auto& [x, y] : {std::pair{lesser, greater}, std::pair{greater, lesser},
                               std::pair{low, high}, std::pair{high, low}}) {
      Answer answer(problem.X.size(), '0');
      std::int64_t cost = 0;
      bool fits = true;
      for (int i = 0; i < problem.N && fits; ++i) {
        if (x.holds(problem.X[i]) && y.holds(problem.Y[i])) continue;
        fits = x.holds(problem.Y[i]) && y.holds(problem.X[i]);
        answer[i] = '1';
        cost += problem.M[i];
      }
      if (!fits || (least >= 0 && cost >= least)) continue;
      least = cost;
      best = std::move(answer);
    }
    return best;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = nothing(problem);
    for (char& digit : answer) digit = rng.chance(0.5) ? '1' : '0';
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"nothing", nothing(problem)},
            {"all points with x > y", below(problem)},
            {"all points with x < y", above(problem)}};
  }

 private:
  struct Range {
    std::int64_t from;
    std::int64_t to;

    void widen(std::int64_t value) {
      from = std::min(from, value);
      to = std::max(to, value);
    }
    bool holds(std::int64_t value) const { return from <= value && value <= to; }
  };

  struct Outcome {
    std::int64_t perimeter;
    std::int64_t cost;
  };

  static Outcome outcome(const Problem& problem, const Answer& answer) {
    Range x{kMaxCoordinate, 0};
    Range y{kMaxCoordinate, 0};
    std::int64_t cost = 0;
    for (int i = 0; i < problem.N; ++i) {
      const bool exchanged = answer[i] == '1';
      x.widen(exchanged ? problem.Y[i] : problem.X[i]);
      y.widen(exchanged ? problem.X[i] : problem.Y[i]);
      if (exchanged) cost += problem.M[i];
    }
    return {2 * (x.to - x.from + y.to - y.from), cost};
  }

  static Answer nothing(const Problem& problem) { return Answer(problem.X.size(), '0'); }

  static Answer below(const Problem& problem) {
    Answer answer = nothing(problem);
    for (int i = 0; i < problem.N; ++i) answer[i] = problem.X[i] > problem.Y[i] ? '1' : '0';
    return answer;
  }

  static Answer above(const Problem& problem) {
    Answer answer = nothing(problem);
    for (int i = 0; i < problem.N; ++i) answer[i] = problem.X[i] < problem.Y[i] ? '1' : '0';
    return answer;
  }
};
REDQUEEN_ENVIRONMENT(SkaRockGarden);

}  // namespace
}  // namespace redqueen
