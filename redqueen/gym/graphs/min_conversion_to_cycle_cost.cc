#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/disjoint_sets.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct MinConversionToCycleCost {
  static constexpr Card card{
      .name = "MinConversionToCycleCost",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Every vertex has one edge into it. Change where some of these come from, as cheaply as "
          "possible, such that all together are one cycle.",
      .levels = "From 3 vertices, a tenth more and one a level.",
      .rewards =
          "-1 malformed, -0.5 a wrong number of values or one that is no vertex, -0.2 no single "
          "cycle, else (least cost / cost)^3.",
      .differences =
          "The edges given are never a cycle through all vertices. Circles are planted, and other "
          "edges often leave them. From 5 vertices on, a problem is drawn again that is solved by "
          "keeping the dearest edges that fit together, by keeping the dearest edge out of each "
          "vertex and cutting circles at their cheapest, or by the cycle 0, 1, 2 and so on.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "Three vertices, at level 0, have only two cycles.",
      .guess_until_level = 0,
      .max_level = 60,
  };

  static constexpr double kBeta = 3.0;
  static constexpr double kNoCycleReward = -0.2;
  static constexpr int kFewVertices = 5;
  static constexpr int kDraws = 1000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;  // the edge into i comes from A[i]
    std::vector<std::int64_t> C;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, A, C, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](Problem& problem) {
          problem.gold_answer = cost_of(problem, completed(problem, best_kept(problem)));
          return problem.gold_answer > 0 &&
                 (config.N < kFewVertices ||
                  !some_rule_is_best<MinConversionToCycleCost>(problem, [&](const Answer& cycle) {
                    return cost_of(problem, cycle) == problem.gold_answer;
                  }));
        });
  }

  // The edge into each vertex comes from any other one.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .A = Answer(n), .C = draw_numbers(n, 1, n, rng), .gold_answer = 0};
    for (int v = 0; v < n; ++v) {
      problem.A[v] = rng.integer(0, n - 2);
      if (problem.A[v] >= v) ++problem.A[v];
    }
    problem.gold_answer = cost_of(problem, completed(problem, best_kept(problem)));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxShownNumbers / 2));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 0, problem.N - 1));
    for (int i = 0; i < problem.N; ++i) {
      if (problem.A[i] == i) return failure("\"A\": an edge from {} to itself", i);
    }
    RETURN_IF_ERROR(check_numbers("C", problem.C, problem.N, 1, 1'000'000'000));
    return reference_is("gold_answer", problem.gold_answer,
                        cost_of(problem, completed(problem, best_kept(problem))));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "There are {0} vertices, 0 to {1}. For each i from 0 to {1} there is one directed edge, "
        "from vertex A[i] to vertex i:\n"
        "{2}\n"
        "You may replace A[i] by any other vertex, for as many i as you like. Each replacement "
        "costs C[i], whatever the new vertex is:\n"
        "{3}\n"
        "After that, the {0} edges have to be one directed cycle that passes through all {0} "
        "vertices. Make the sum of the costs as small as possible.\n"
        "Answer with all of A[0], A[1], …, A[{1}] as they are at the end, {0} numbers on one line, "
        "separated by spaces.",
        problem.N, problem.N - 1, with_indices("A", problem.A), with_indices("C", problem.C));
  }

  static double score(const Problem& problem, const Answer& answer) {
    const std::int64_t n = problem.N;
    if (std::ssize(answer) != n) return kInvalidReward;
    if (!std::ranges::all_of(answer, [n](std::int64_t v) { return v >= 0 && v < n; })) {
      return kInvalidReward;
    }
    std::int64_t at = 0;
    for (std::int64_t step = 1; step <= n; ++step) {
      at = answer[at];
      if ((at == 0) != (step == n)) return kNoCycleReward;
    }
    return minimise_reward(cost_of(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return completed(problem, best_kept(problem)); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::vector<int> order = rng.permutation(problem.N);
    Answer from(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) from[order[(i + 1) % order.size()]] = order[i];
    return from;
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    std::vector<int> order(problem.A.size());
    std::iota(order.begin(), order.end(), 0);
    if (visit("the first edges that fit together are kept",
              completed(problem, kept_if_fitting(problem, order)))) {
      return true;
    }
    std::ranges::stable_sort(order, std::greater(), [&](int i) { return problem.C[i]; });
    if (visit("the dearest edges that fit together are kept",
              completed(problem, kept_if_fitting(problem, order))) ||
        visit("the dearest edge out of each vertex is kept, circles are cut at their cheapest",
              completed(problem, cut_at_cheapest(problem)))) {
      return true;
    }
    Answer round(problem.A.size());
    for (std::size_t i = 0; i < round.size(); ++i) {
      round[i] = static_cast<std::int64_t>((i + round.size() - 1) % round.size());
    }
    return visit("the cycle 0, 1, 2 and so on", round);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<MinConversionToCycleCost>(problem));
  }

 private:
  using Kept = std::vector<char>;  // whether A[i] stays

  static std::int64_t cost_of(const Problem& problem, const Answer& answer) {
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      if (answer[i] != problem.A[i]) cost += problem.C[i];
    }
    return cost;
  }

  // Of each vertex, the dearest and the second dearest edge out of it, as their heads; -1: none.
  struct Dearest {
    std::vector<int> first;
    std::vector<int> second;

    explicit Dearest(const Problem& problem)
        : first(problem.A.size(), -1), second(problem.A.size(), -1) {
      for (int i = 0; i < problem.N; ++i) {
        int& best = first[problem.A[i]];
        int& next = second[problem.A[i]];
        if (best < 0 || problem.C[i] > problem.C[best]) {
          next = std::exchange(best, i);
        } else if (next < 0 || problem.C[i] > problem.C[next]) {
          next = i;
        }
      }
    }
  };

  // Calls visit(circle) for each circle of edges that are the dearest out of their vertices.
  template <typename Visit>
  static void for_each_circle(const Problem& problem, const Dearest& dearest, Visit visit) {
    std::vector<int> walk(problem.A.size(), -1);  // the start of the walk that saw a vertex
    for (int start = 0; start < problem.N; ++start) {
      int v = start;
      while (walk[v] < 0) {
        walk[v] = start;
        v = static_cast<int>(problem.A[v]);
      }
      if (walk[v] != start) continue;
      std::vector<int> circle;
      bool whole = true;
      do {
        circle.push_back(v);
        whole = whole && dearest.first[problem.A[v]] == v;
        v = static_cast<int>(problem.A[v]);
      } while (v != circle.front());
      if (whole) visit(circle);
    }
  }

  static Kept kept_at(const Problem& problem, const std::vector<int>& heads) {
    Kept kept(problem.A.size());
    for (const int i : heads) {
      if (i >= 0) kept[i] = 1;
    }
    return kept;
  }

  // Edges may be kept together if no two leave one vertex and they close no circle, unless that
  // passes through all vertices. So the dearest out of each vertex is kept; and where these close
  // a circle, the second dearest instead at the vertex where that loses least. The second dearest
  // leads away from the circle and cannot close another one.
  static Kept best_kept(const Problem& problem) {
    const Dearest dearest(problem);
    std::vector<int> heads = dearest.first;
    for_each_circle(problem, dearest, [&](const std::vector<int>& circle) {
      if (std::ssize(circle) == problem.N) return;
      const auto loss = [&](int i) {
        const int other = dearest.second[problem.A[i]];
        return problem.C[i] - (other < 0 ? 0 : problem.C[other]);
      };
      const std::int64_t at = problem.A[*std::ranges::min_element(circle, {}, loss)];
      heads[at] = dearest.second[at];
    });
    return kept_at(problem, heads);
  }

  static Kept cut_at_cheapest(const Problem& problem) {
    const Dearest dearest(problem);
    std::vector<int> heads = dearest.first;
    for_each_circle(problem, dearest, [&](const std::vector<int>& circle) {
      const auto cheapest =
          std::ranges::min_element(circle, {}, [&](int i) { return problem.C[i]; });
      heads[problem.A[*cheapest]] = -1;
    });
    return kept_at(problem, heads);
  }

  static Kept kept_if_fitting(const Problem& problem, const std::vector<int>& order) {
    Kept kept(problem.A.size());
    std::vector<char> left(problem.A.size());  // whether an edge out of it is kept
    DisjointSets sets(problem.N);
    for (const int i : order) {
      const auto from = static_cast<int>(problem.A[i]);
      if (left[from] != 0 || !sets.join(i, from)) continue;
      left[from] = kept[i] = 1;
    }
    return kept;
  }

  // A cycle through all vertices with the edges kept: these are paths, each joined to the next.
  static Answer completed(const Problem& problem, const Kept& kept) {
    std::vector<int> next(problem.A.size(), -1);  // along kept edges
    for (int i = 0; i < problem.N; ++i) {
      if (kept[i] != 0) next[problem.A[i]] = i;
    }
    Answer from = problem.A;
    int first = -1;
    int end = -1;  // of the path before
    for (int start = 0; start < problem.N; ++start) {
      if (kept[start] != 0) continue;
      if (first < 0) first = start;
      if (end >= 0) from[start] = end;
      for (end = start; next[end] >= 0;) end = next[end];
    }
    if (first >= 0) from[first] = end;
    return from;
  }

  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .A = Answer(n), .C = draw_numbers(n, 1, n, rng), .gold_answer = 0};
    const std::vector<int> order = rng.permutation(n);
    const auto circle = static_cast<int>(rng.integer(2, std::max(2, n - 2)));
    for (int i = 0; i < n; ++i) {
      const int v = order[i];
      if (i < circle) {
        problem.A[v] = order[(i + 1) % circle];
      } else {
        do {
          problem.A[v] =
              rng.chance(0.6) ? order[rng.integer(0, circle - 1)] : rng.integer(0, n - 1);
        } while (problem.A[v] == v);
      }
    }
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(MinConversionToCycleCost);

}  // namespace
}  // namespace redqueen
