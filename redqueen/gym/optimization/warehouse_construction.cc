#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/cuts.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct WarehouseConstruction {
  static constexpr Card card{
      .name = "WarehouseConstruction",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose factories on a slope for warehouses such that building them and carrying all "
          "products down to the nearest ones is cheapest.",
      .levels =
          "The number of factories grows from 4 by a tenth and one a level, distances, products "
          "and prices with it. Beyond level 50 the lists would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 a factory that does not exist, or products without a warehouse below "
          "them, else (least cost / cost)^5.",
      .differences =
          "Two in five factories have no products. From 6 factories on, a problem is drawn "
          "again that is solved by a warehouse wherever there are products, by only the lowest "
          "one, by equal distances, or by leaving out those that are dearer than the way to the "
          "next one.",
      .slow_reason = SlowReason::kStricter,
      .source = "Zhejiang Team Selection 2007, Warehouse Construction (Luogu P2120).",
      .max_level = 50,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 6;
  static constexpr int kDraws = 500;
  static constexpr int kMaxFactories = 4000;
  static constexpr std::int64_t kMaxAmount = 1'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> D;
    std::vector<std::int64_t> P;
    std::vector<std::int64_t> C;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, D, P, C, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem = drawn(config.N, rng);
      problem.gold_answer = cost_of(problem, solve(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (problem.gold_answer == 0) return false;
      return config.N < kStrictFrom || !some_rule_solves<WarehouseConstruction>(problem);
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    Problem problem{.N = config.N, .D = {0}, .P = {}, .C = {}, .gold_answer = 0};
    const auto steps = rng.sample(1, 2 * n, static_cast<std::size_t>(n) - 1);
    problem.D.insert(problem.D.end(), steps.begin(), steps.end());
    std::ranges::sort(problem.D);
    problem.P = draw_numbers(n, 0, n, rng);
    problem.C = draw_numbers(n, 1, 2 * n, rng);
    problem.gold_answer = cost_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxFactories));
    RETURN_IF_ERROR(check_numbers("D", problem.D, problem.N, 0, kMaxAmount));
    RETURN_IF_ERROR(check_numbers("P", problem.P, problem.N, 0, kMaxAmount));
    RETURN_IF_ERROR(check_numbers("C", problem.C, problem.N, 1, kMaxAmount));
    if (std::ranges::adjacent_find(problem.D, std::ranges::greater_equal()) != problem.D.end()) {
      return failure("\"D\": distances do not ascend");
    }
    return reference_is("gold_answer", problem.gold_answer, cost_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{0} factories, numbered from 0 to {1}, lie one below the other on a slope, factory 0 at "
        "the top. Factory i lies at the distance D[i] from the top, has P[i] products, and a "
        "warehouse beside it would cost C[i] to build:\n"
        "{2}\n"
        "{3}\n"
        "{4}\n"
        "Choose the factories beside which warehouses are built; a warehouse holds any number of "
        "products. All products must go into warehouses. Those of a factory with a warehouse go "
        "into it for free. Those of any other factory are carried down the slope to the next "
        "warehouse below, a factory with a greater number; each product costs 1 for each unit of "
        "distance. Products cannot be carried up, so a factory that has products and no warehouse "
        "needs one below. Choose such that building and carrying together cost as little as "
        "possible.\n"
        "Answer with the numbers of the chosen factories in any order on one line, separated by "
        "spaces. A factory that is named twice is paid for twice.",
        problem.N, problem.N - 1, with_indices("D", problem.D), with_indices("P", problem.P),
        with_indices("C", problem.C));
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::int64_t lowest = -1;
    for (const std::int64_t factory : answer) {
      if (factory < 0 || factory >= problem.N) return kInvalidReward;
      lowest = std::max(lowest, factory);
    }
    if (lowest + 1 < needed(problem)) return kInvalidReward;
    return minimise_reward(cost_of(problem, answer), problem.gold_answer, kBeta);
  }

  // A cut of the factories into runs, each with its warehouse at the lowest place; what lies below
  // the last run has no products.
  static Answer solve(const Problem& problem) {
    std::vector<std::int64_t> products(problem.P.size() + 1);  // of the first factories
    std::vector<std::int64_t> moments(problem.P.size() + 1);   // times their distances
    for (std::size_t i = 0; i < problem.P.size(); ++i) {
      products[i + 1] = products[i] + problem.P[i];
      moments[i + 1] = moments[i] + problem.P[i] * problem.D[i];
    }
    const CheapestCuts cuts = cheapest_cuts(problem.N, [&](std::int64_t before, std::int64_t last) {
      return problem.D[last - 1] * (products[last] - products[before]) -
             (moments[last] - moments[before]) + problem.C[last - 1];
    });
    const auto first = cuts.least.begin() + needed(problem);
    const auto last =
        static_cast<int>(std::min_element(first, cuts.least.end()) - cuts.least.begin());
    Answer factories = cuts.ends(last);
    for (std::int64_t& factory : factories) --factory;
    return factories;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer factories = random_indices(problem.N, rng);
    if (factories.empty() || factories.back() + 1 < needed(problem)) {
      factories.push_back(problem.N - 1);
    }
    return factories;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer everywhere;
    for (std::int64_t i = 0; i < problem.N; ++i) {
      if (problem.P[i] > 0) everywhere.push_back(i);
    }
    return {{"wherever there are products", everywhere},
            {"only the lowest one", {std::max<std::int64_t>(0, needed(problem) - 1)}},
            {"equal distances", best_spacing(problem)},
            {"not where it is dearer than the way to the next factory", worth_the_way(problem)},
            {"leave out one after another from the top, while that is cheaper", left_out(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Factories from the top down to the lowest one with products.
  static std::int64_t needed(const Problem& problem) {
    std::int64_t count = problem.N;
    while (count > 0 && problem.P[count - 1] == 0) --count;
    return count;
  }

  // The answer is sound.
  static std::int64_t cost_of(const Problem& problem, const Answer& answer) {
    std::vector<char> built(problem.P.size());
    std::int64_t cost = 0;
    for (const std::int64_t factory : answer) {
      built[factory] = 1;
      cost += problem.C[factory];
    }
    std::int64_t below = 0;  // where the next warehouse lies
    for (std::size_t i = built.size(); i-- > 0;) {
      if (built[i]) below = problem.D[i];
      if (problem.P[i] > 0) cost += problem.P[i] * (below - problem.D[i]);
    }
    return cost;
  }

  static Problem drawn(int n, Rng& rng) {
    Problem problem{.N = n, .D = {0}, .P = {}, .C = {}, .gold_answer = 0};
    const auto steps = rng.sample(1, 2 * std::int64_t{n}, static_cast<std::size_t>(n) - 1);
    problem.D.insert(problem.D.end(), steps.begin(), steps.end());
    std::ranges::sort(problem.D);
    for (int i = 0; i < n; ++i) problem.P.push_back(rng.chance(0.4) ? 0 : rng.integer(1, n));
    problem.C = draw_numbers(n, 1, 2 * std::int64_t{n}, rng);
    return problem;
  }

  static Answer best_spacing(const Problem& problem) {
    Answer best;
    for (std::int64_t step = 1; step <= problem.N; ++step) {
      Answer factories;
      for (std::int64_t i = needed(problem) - 1; i >= 0; i -= step) factories.push_back(i);
      if (best.empty() || cost_of(problem, factories) < cost_of(problem, best)) {
        best = std::move(factories);
      }
    }
    return best;
  }

  static Answer worth_the_way(const Problem& problem) {
    Answer factories;
    const std::int64_t last = needed(problem) - 1;
    for (std::int64_t i = 0; i <= last; ++i) {
      if (i == last || problem.P[i] * (problem.D[i + 1] - problem.D[i]) > problem.C[i]) {
        factories.push_back(i);
      }
    }
    return factories;
  }

  // What has gathered at a factory goes on if that is cheaper than to build.
  static Answer left_out(const Problem& problem) {
    Answer factories;
    const std::int64_t last = needed(problem) - 1;
    std::int64_t gathered = 0;
    for (std::int64_t i = 0; i <= last; ++i) {
      gathered += problem.P[i];
      if (i == last || gathered * (problem.D[i + 1] - problem.D[i]) > problem.C[i]) {
        factories.push_back(i);
        gathered = 0;
      }
    }
    return factories;
  }
};
REDQUEEN_ENVIRONMENT(WarehouseConstruction);

}  // namespace
}  // namespace redqueen
