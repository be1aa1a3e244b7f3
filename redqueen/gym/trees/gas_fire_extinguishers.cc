#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct GasFireExtinguishers {
  static constexpr Card card{
      .name = "GasFireExtinguishers",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Assign to every vertex of a tree one at most K edges away, such that few extinguishers, "
          "each for up to S vertices, are needed at the assigned ones.",
      .levels = "The tree has 3 vertices and one more each level.",
      .rewards =
          "-1 malformed, -0.5 another number of vertices or one that is too far away, else (fewest "
          "extinguishers / extinguishers)^3.",
      .differences =
          "Trees are long, bushy or neither. From 5 vertices on, a problem is drawn again that is "
          "solved by assigning to each vertex the one within reach of most, or in turn the one "
          "that has room for most; from 6 vertices on, also one that is solved by the first or the "
          "last vertex within reach.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Trees of up to 5 vertices, at levels 0 to 2, have few good assignments; the first or "
          "the last vertex within reach is often one.",
      .guess_until_level = 2,
      .source = "POI XVI (2008/09): Fire extinguishers (GAS)",
  };

  static constexpr double kBeta = 3.0;
  static constexpr int kFewVertices = 5;
  static constexpr int kDraws = 1000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    std::int64_t K = 0;
    std::int64_t S = 0;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edges, K, S, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_accepted(
        kDraws,
        [&] { return drawn(config.N, random_shaped_tree(rng.permutation(config.N), rng), rng); },
        [&](const Problem& draft) {
          return config.N < kFewVertices ||
                 !some_rule_is_best<GasFireExtinguishers>(draft, [&](const Answer& assigned) {
                   return cost_of(draft, assigned) == draft.gold_answer;  // all are within reach
                 });
        });
    disguise_edges(problem.edges, rng);
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    return drawn(config.N, draw_connected_edges(config.N, 0, rng), rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N));
    RETURN_IF_ERROR(within("S", problem.S, 1, problem.N));
    return reference_is("gold_answer", problem.gold_answer, cost_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 0 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "Extinguishers are put on vertices, any number on each. Every vertex u is assigned a "
        "vertex P[u] that is at most {} edge{} away; it may be u itself. A vertex to which c "
        "vertices are assigned needs c/{} extinguishers, rounded up to an integer. Choose P such "
        "that all vertices together need as few extinguishers as possible.\n"
        "Answer with P[0] to P[{}] on one line, {} numbers separated by spaces.",
        problem.N - 1, format_edges(problem.edges), problem.K, problem.K == 1 ? "" : "s", problem.S,
        problem.N - 1, problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    const auto distances = tree_distances(*root_tree(problem.N, problem.edges, 0));
    for (int u = 0; u < problem.N; ++u) {
      if (answer[u] < 0 || answer[u] >= problem.N) return kInvalidReward;
      if (distances[u][answer[u]] > problem.K) return kInvalidReward;
    }
    return minimise_reward(cost_of(problem, answer), problem.gold_answer, kBeta);
  }

  // Going up from the leaves: vertices wait for an extinguisher above them for as long as they can,
  // and room that is left is used when it could not be used one edge higher.
  static Answer solve(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    const auto reach = static_cast<std::size_t>(problem.K);
    using ByDistance = std::vector<std::vector<int>>;  // 0 … K edges below a vertex
    std::vector<ByDistance> waiting(tree.order.size(), ByDistance(reach + 1));
    std::vector<ByDistance> room(tree.order.size(), ByDistance(reach + 1));  // a vertex for each
    Answer assigned(tree.order.size());
    const auto match = [&](int v, std::size_t need, std::size_t spare) {
      auto& needs = waiting[v][need];
      auto& spares = room[v][spare];
      for (; !needs.empty() && !spares.empty(); needs.pop_back(), spares.pop_back()) {
        assigned[needs.back()] = spares.back();
      }
    };
    const auto put_here = [&](int v, std::vector<int>& needs) {
      for (const int u : needs) assigned[u] = v;
      const std::int64_t used = std::ssize(needs) % problem.S;
      if (used > 0) room[v][0].insert(room[v][0].end(), problem.S - used, v);
      needs.clear();
    };
    for (std::size_t i = tree.order.size(); i-- > 0;) {
      const int v = tree.order[i];
      waiting[v][0].push_back(v);
      put_here(v, waiting[v][reach]);
      const std::size_t longest_wait = i == 0 ? reach + 1 : 2;
      for (std::size_t slack = 0; slack < longest_wait; ++slack) {
        for (std::size_t d = 0; d + slack <= reach; ++d) match(v, d, reach - slack - d);
      }
      if (i == 0) break;
      const int parent = tree.parent[v];
      for (std::size_t d = 0; d < reach; ++d) {
        append(waiting[parent][d + 1], waiting[v][d]);
        append(room[parent][d + 1], room[v][d]);
      }
    }
    std::vector<int> rest;
    for (const auto& needs : waiting[0]) append(rest, needs);
    put_here(0, rest);
    return assigned;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const auto distances = tree_distances(*root_tree(problem.N, problem.edges, 0));
    Answer assigned;
    for (int u = 0; u < problem.N; ++u) {
      std::vector<int> choices;
      for (int v = 0; v < problem.N; ++v) {
        if (distances[u][v] <= problem.K) choices.push_back(v);
      }
      assigned.push_back(rng.choice(choices));
    }
    return assigned;
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    const auto n = static_cast<std::size_t>(problem.N);
    Answer itself(n);
    std::iota(itself.begin(), itself.end(), 0);
    if (visit("each vertex itself", itself)) return true;
    const auto distances = tree_distances(*root_tree(problem.N, problem.edges, 0));
    if (visit("one extinguisher after another where it serves most",
              most_served(problem, distances))) {
      return true;
    }
    std::vector<std::int64_t> reached(n);
    for (std::size_t v = 0; v < n; ++v) {
      reached[v] = std::ranges::count_if(distances[v], [&](int d) { return d <= problem.K; });
    }
    Answer first(n, -1);
    Answer last(n);
    Answer busiest(n, -1);
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t v = 0; v < n; ++v) {
        if (distances[u][v] > problem.K) continue;
        const auto vertex = static_cast<std::int64_t>(v);
        last[u] = vertex;
        if (first[u] < 0) first[u] = vertex;
        if (busiest[u] < 0 || reached[v] > reached[busiest[u]]) busiest[u] = vertex;
      }
    }
    if (visit("the vertex within reach of most", busiest)) return true;
    return problem.N > kFewVertices && (visit("the first vertex within reach", first) ||
                                        visit("the last vertex within reach", last));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<GasFireExtinguishers>(problem));
  }

 private:
  static Problem drawn(int n, std::vector<Edge> tree, Rng& rng) {
    Problem problem{.N = n, .edges = std::move(tree), .K = 0, .S = 0, .gold_answer = 0};
    const auto distances = tree_distances(*root_tree(problem.N, problem.edges, 0));
    int diameter = 0;
    for (const auto& row : distances) diameter = std::max(diameter, std::ranges::max(row));
    problem.K = rng.integer(1, std::max(1, diameter / 2));
    problem.S = rng.integer(2, std::max<std::int64_t>(2, n / problem.K));
    problem.gold_answer = cost_of(problem, solve(problem));
    return problem;
  }

  static std::int64_t cost_of(const Problem& problem, const Answer& assigned) {
    std::vector<std::int64_t> counts(assigned.size());
    for (const std::int64_t v : assigned) ++counts[v];
    std::int64_t cost = 0;
    for (const std::int64_t count : counts) cost += (count + problem.S - 1) / problem.S;
    return cost;
  }

  static void append(std::vector<int>& to, const std::vector<int>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  // Always an extinguisher at the vertex with most unassigned vertices within reach; the farthest
  // of these are assigned to it first.
  static Answer most_served(const Problem& problem,
                            const std::vector<std::vector<int>>& distances) {
    Answer assigned(distances.size(), -1);
    for (std::int64_t left = problem.N; left > 0;) {
      std::vector<int> served;
      int where = 0;
      for (int v = 0; v < problem.N; ++v) {
        std::vector<int> near;
        for (int u = 0; u < problem.N; ++u) {
          if (assigned[u] < 0 && distances[u][v] <= problem.K) near.push_back(u);
        }
        if (near.size() <= served.size()) continue;
        where = v;
        served = std::move(near);
      }
      std::ranges::stable_sort(served, std::greater(), [&](int u) { return distances[u][where]; });
      if (std::ssize(served) > problem.S) served.resize(static_cast<std::size_t>(problem.S));
      for (const int u : served) assigned[u] = where;
      left -= std::ssize(served);
    }
    return assigned;
  }
};
REDQUEEN_ENVIRONMENT(GasFireExtinguishers);

}  // namespace
}  // namespace redqueen
