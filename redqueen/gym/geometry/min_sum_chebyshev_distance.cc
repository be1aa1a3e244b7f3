#include <algorithm>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MinSumChebyshevDistance {
  static constexpr Card card{
      .name = "MinSumChebyshevDistance",
      .published = true,
      .family = Family::kGeometry,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task = "Find the lattice point with the least weighted sum of Chebyshev distances.",
      .levels =
          "From 2 points, a tenth and one more each level, coordinates of up to twice as many; "
          "beyond level 78 the list would be too long to read.",
      .rewards = "-1 malformed, else (least sum / sum)^5.",
      .differences =
          "The points lie in a smaller square, at any place, and never all at one; all over the "
          "range, its middle was paid well. From 4 points on, problems are drawn again that are "
          "solved by one of the points, by the weighted mean, or by the weighted medians of both "
          "coordinates. Still, the weighted mean earns most of the reward: 0.65 at level 3, 0.87 "
          "at "
          "level 10.",
      .slow_reason = SlowReason::kStricter,
      .source = "POI XIII (2005/06): Warehouse (MAG)",
      .max_level = 78,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxPoints = 100'000;
  static constexpr std::int64_t kMaxCoordinate = 1'000'000;
  static constexpr std::int64_t kMaxWeight = 1'000'000;
  static constexpr int kFewPoints = 4;  // of fewer, one is nearly always best

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> X;
    std::vector<std::int64_t> Y;
    std::vector<std::int64_t> T;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, X, Y, T, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // x, y

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    for (int draw = 0; draw < kDraws; ++draw) {
      Problem problem = drawn(config.N, rng);
      if (problem.gold_answer == 0) continue;
      if (config.N < kFewPoints || !is_easy(problem)) return problem;
    }
    throw Retry();
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .X = draw_numbers(n, 1, 2 * n, rng),
                    .Y = draw_numbers(n, 1, 2 * n, rng),
                    .T = draw_numbers(n, 1, n, rng),
                    .gold_answer = 0};
    problem.gold_answer = static_cast<std::int64_t>(cost_of(problem, solve(problem)));
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxPoints); !sound) return sound;
    for (const auto* values : {&problem.X, &problem.Y, &problem.T}) {
      if (values->size() != static_cast<std::size_t>(problem.N)) {
        return failure("\"X\", \"Y\", \"T\": expected \"N\" numbers each");
      }
    }
    for (int i = 0; i < problem.N; ++i) {
      if (auto sound = within("X", problem.X[i], -kMaxCoordinate, kMaxCoordinate); !sound) {
        return sound;
      }
      if (auto sound = within("Y", problem.Y[i], -kMaxCoordinate, kMaxCoordinate); !sound) {
        return sound;
      }
      if (auto sound = within("T", problem.T[i], 1, kMaxWeight); !sound) return sound;
    }
    return reference_is("gold_answer", Int128{problem.gold_answer},
                        cost_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    std::string rows;
    for (int i = 0; i < problem.N; ++i) {
      append_format(rows, "{} {} {}\n", problem.X[i], problem.Y[i], problem.T[i]);
    }
    return fmt::format(
        "Each of these {} lines gives a point of the plane, by its coordinates X and Y, and its "
        "weight T:\n"
        "{}The distance of two points (x, y) and (X, Y) is max(|x - X|, |y - Y|). Find a point "
        "(x, y) with integer coordinates such that its distances from all the given points, each "
        "multiplied by the weight T of the given point, add up to as little as possible.\n"
        "Answer with x and y, separated by a space.",
        problem.N, rows);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != 2) return kMalformedReward;
    return minimise_reward(cost_of(problem, answer), Int128{problem.gold_answer}, kBeta);
  }

  // With p = x + y and q = x − y, twice the cost is Σ T·|p − P| + Σ T·|q − Q|: a function of p plus
  // one of q, both convex and least at weighted medians. Where these are of different parity, one
  // of them must give way by 1.
  static Answer solve(const Problem& problem) {
    std::vector<Weighted> sums;
    std::vector<Weighted> differences;
    sums.reserve(problem.X.size());
    differences.reserve(problem.X.size());
    for (int i = 0; i < problem.N; ++i) {
      sums.emplace_back(problem.X[i] + problem.Y[i], problem.T[i]);
      differences.emplace_back(problem.X[i] - problem.Y[i], problem.T[i]);
    }
    const std::int64_t p = median(sums);
    const std::int64_t q = median(differences);
    if ((p - q) % 2 == 0) return {(p + q) / 2, (p - q) / 2};
    Int128 least = -1;
    Answer best;
    for (const auto& [dp, dq] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
      Answer candidate{(p + dp + q + dq) / 2, (p + dp - q - dq) / 2};
      const Int128 cost = cost_of(problem, candidate);
      if (least >= 0 && cost >= least) continue;
      least = cost;
      best = std::move(candidate);
    }
    return best;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::int64_t x = rng.integer(std::ranges::min(problem.X), std::ranges::max(problem.X));
    return {x, rng.integer(std::ranges::min(problem.Y), std::ranges::max(problem.Y))};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto heaviest = std::ranges::max_element(problem.T) - problem.T.begin();
    return {
        {"the weighted mean", format_answer(mean(problem))},
        {"the weighted medians of both coordinates", format_answer(medians(problem))},
        {"the heaviest point", format_answer(Answer{problem.X[heaviest], problem.Y[heaviest]})}};
  }

 private:
  static constexpr int kDraws = 300;
  static constexpr int kPointsTried = 20;  // of more, one is hardly ever best

  using Weighted = std::pair<std::int64_t, std::int64_t>;  // value, weight

  static Problem drawn(std::int64_t n, Rng& rng) {
    const std::int64_t side = rng.integer(std::max<std::int64_t>(1, n / 2), n + n / 4);
    const std::int64_t left = rng.integer(1, 2 * n - side);
    const std::int64_t bottom = rng.integer(1, 2 * n - side);
    Problem problem{.N = static_cast<int>(n),
                    .X = draw_numbers(n, left, left + side, rng),
                    .Y = draw_numbers(n, bottom, bottom + side, rng),
                    .T = draw_numbers(n, 1, n, rng),
                    .gold_answer = 0};
    problem.gold_answer = static_cast<std::int64_t>(cost_of(problem, solve(problem)));
    return problem;
  }

  static bool is_easy(const Problem& problem) {
    for (int i = 0; i < std::min(problem.N, kPointsTried); ++i) {
      if (is_best(problem, {problem.X[i], problem.Y[i]})) return true;
    }
    return is_best(problem, mean(problem)) || is_best(problem, medians(problem));
  }

  // Any coordinates of 64 bits.
  static Int128 cost_of(const Problem& problem, const Answer& point) {
    Int128 cost = 0;
    for (int i = 0; i < problem.N; ++i) {
      const Int128 dx = static_cast<Int128>(point[0]) - problem.X[i];
      const Int128 dy = static_cast<Int128>(point[1]) - problem.Y[i];
      cost += std::max(dx < 0 ? -dx : dx, dy < 0 ? -dy : dy) * problem.T[i];
    }
    return cost;
  }

  static bool is_best(const Problem& problem, const Answer& point) {
    return cost_of(problem, point) == problem.gold_answer;
  }

  static std::int64_t median(std::vector<Weighted>& values) {
    std::ranges::sort(values);
    std::int64_t above = 0;
    for (const auto& [value, weight] : values) above += weight;
    std::int64_t below = 0;
    for (const auto& [value, weight] : values) {
      above -= weight;
      below += weight;
      if (below >= above) return value;
    }
    return 0;
  }

  static Answer mean(const Problem& problem) {
    std::int64_t weight = 0;
    std::int64_t x = 0;
    std::int64_t y = 0;
    for (int i = 0; i < problem.N; ++i) {
      weight += problem.T[i];
      x += problem.T[i] * problem.X[i];
      y += problem.T[i] * problem.Y[i];
    }
    return {(2 * x + weight) / (2 * weight), (2 * y + weight) / (2 * weight)};
  }

  static Answer medians(const Problem& problem) {
    std::vector<Weighted> x;
    std::vector<Weighted> y;
    for (int i = 0; i < problem.N; ++i) {
      x.emplace_back(problem.X[i], problem.T[i]);
      y.emplace_back(problem.Y[i], problem.T[i]);
    }
    return {median(x), median(y)};
  }
};
REDQUEEN_ENVIRONMENT(MinSumChebyshevDistance);

}  // namespace
}  // namespace redqueen
