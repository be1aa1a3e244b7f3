#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MinimumDirectedSpanningTree {
  static constexpr Card card{
      .name = "MinimumDirectedSpanningTree",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Find the lightest tree in a directed graph with weights whose edges lead from a root to "
          "all vertices.",
      .levels =
          "From 4 vertices, a tenth more and one a level, with two and a half times as many edges "
          "as vertices or more. Beyond level 32 the list of edges would be too long to read.",
      .rewards =
          "-1 malformed or an odd number of integers, -0.5 not such a tree of edges, else (least "
          "weight / weight)^5.",
      .differences =
          "Of the published densities, one of the two lowest is drawn that give at least five "
          "edges for two vertices, or the highest where none does. From 5 vertices on, a problem "
          "is "
          "drawn again that is solved by the lightest edge into each vertex, by greedy growth from "
          "the root, by light edges that make no circle, or by paths from the root.",
      .source = "J. Edmonds, Optimum branchings, 1967",
      .max_level = 32,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kDensities{0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9};
  static constexpr int kFewVertices = 5;
  static constexpr int kDraws = 200;
  static constexpr int kMostVertices = 300;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;
    int root = 0;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edges, root, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // both ends of each edge

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    const auto densities = sparsest(kDensities, 2, 5 * n / 2, [n](double density) {
      return static_cast<std::int64_t>(edges_at_density(n, density));
    });
    return {.N = n, .edge_density = rng.choice(densities)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& problem) {
          return config.N < kFewVertices ||
                 !some_rule_is_best<MinimumDirectedSpanningTree>(problem, [&](const Answer& tree) {
                   return score(problem, tree) >= kSolvedReward;
                 });
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    const auto densities = sparsest(kDensities, kDensities.size(), n, [n](double density) {
      return static_cast<std::int64_t>(edges_at_density(n, density));
    });
    return {.N = n, .edge_density = rng.choice(densities)};
  }

  static Problem published(const Config& config, Rng& rng) { return drawn(config, rng); }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges));
    RETURN_IF_ERROR(within("root", problem.root, 0, problem.N - 1));
    const auto reached =
        breadth_first_places(problem.N, problem.edges, EdgeKind::kDirected, problem.root);
    if (std::ssize(reached) + 1 < problem.N) {
      return failure("\"edges\": \"root\" does not reach all vertices");
    }
    return reference_is("gold_answer", problem.gold_answer,
                        weight_of(problem.edges, lightest_tree(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A directed graph has {0} vertices, 0 to {1}. Each of these lines \"s t w\" gives an edge "
        "from s to t of weight w:\n"
        "{2}\n"
        "Choose {1} of the edges such that every vertex can be reached from vertex {3} along "
        "chosen edges, and the sum of their weights is as small as possible.\n"
        "Answer with the ends of the chosen edges, \"s1 t1 s2 t2 …\", {4} numbers on one line, "
        "separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), problem.root, 2 * (problem.N - 1));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_edge_ends(text); }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != 2 * (std::int64_t{problem.N} - 1)) return kInvalidReward;
    const auto places = EdgePlaces(problem.N, problem.edges, EdgeKind::kDirected).of(answer);
    if (!places || !is_spanning_tree(problem.N, problem.edges, *places)) return kInvalidReward;
    std::vector<char> entered(static_cast<std::size_t>(problem.N));
    entered[problem.root] = 1;
    for (const int place : *places) {  // a tree with one edge into each other vertex
      if (std::exchange(entered[std::get<1>(problem.edges[place])], 1) != 0) return kInvalidReward;
    }
    return minimise_reward(weight_of(problem.edges, *places), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return edge_ends(problem.edges, lightest_tree(problem));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return edge_ends(problem.edges, grown(problem, [&](int) { return rng.integer(0, 1 << 20); }));
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    const auto tried = [&](std::string_view rule, const std::vector<int>& places) {
      return visit(rule, edge_ends(problem.edges, places));
    };
    const auto weight = [&](int place) { return std::get<2>(problem.edges[place]); };
    return tried("light edges first, one into each vertex and no circle", by_weight(problem)) ||
           tried("the lightest edge that leads on, again and again", grown(problem, weight)) ||
           tried("the lightest edge into each vertex", lightest_into_each(problem)) ||
           tried(
               "shortest paths from the root",
               shortest_path_places(problem.N, problem.edges, EdgeKind::kDirected, problem.root)) ||
           tried("paths of fewest edges from the root",
                 breadth_first_places(problem.N, problem.edges, EdgeKind::kDirected, problem.root));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<MinimumDirectedSpanningTree>(problem));
  }

 private:
  struct Arc {
    int from;
    int to;
    std::int64_t weight;
  };

  static std::vector<int> lightest_tree(const Problem& problem) {
    std::vector<Arc> arcs;
    arcs.reserve(problem.edges.size());
    for (const auto& [from, to, weight] : problem.edges) arcs.push_back({from, to, weight});
    return lightest_arborescence(problem.N, arcs, problem.root);
  }

  // The places of its arcs; the root reaches all vertices. The lightest arc into each vertex, and
  // where these make circles, the same again with every circle as one vertex: an arc into it then
  // costs what it costs more than the arc of the circle that it replaces.
  static std::vector<int> lightest_arborescence(int n, const std::vector<Arc>& arcs, int root) {
    std::vector<int> best(static_cast<std::size_t>(n), -1);
    for (int i = 0; i < static_cast<int>(arcs.size()); ++i) {
      const auto& [from, to, weight] = arcs[i];
      if (to == root || from == to) continue;
      if (best[to] < 0 || weight < arcs[best[to]].weight) best[to] = i;
    }
    std::vector<int> group(best.size(), -1);
    std::vector<int> walk(best.size(), -1);  // the start of the walk that saw a vertex
    std::vector<char> on_circle(best.size());
    int groups = 0;
    for (int start = 0; start < n; ++start) {
      int v = start;
      while (v != root && walk[v] < 0) {
        walk[v] = start;
        v = arcs[best[v]].from;
      }
      if (v == root || walk[v] != start || group[v] >= 0) continue;
      for (; group[v] < 0; v = arcs[best[v]].from) {
        group[v] = groups;
        on_circle[v] = 1;
      }
      ++groups;
    }
    std::vector<int> chosen;
    if (groups > 0) {
      for (int& g : group) {
        if (g < 0) g = groups++;
      }
      std::vector<Arc> outer;
      std::vector<int> place;  // of each outer arc in `arcs`
      for (int i = 0; i < static_cast<int>(arcs.size()); ++i) {
        const auto& [from, to, weight] = arcs[i];
        if (group[from] == group[to]) continue;
        outer.push_back(
            {group[from], group[to], on_circle[to] != 0 ? weight - arcs[best[to]].weight : weight});
        place.push_back(i);
      }
      for (const int i : lightest_arborescence(groups, outer, group[root])) {
        best[arcs[place[i]].to] = place[i];
      }
    }
    for (int v = 0; v < n; ++v) {
      if (v != root) chosen.push_back(best[v]);
    }
    return chosen;
  }

  static std::vector<int> lightest_into_each(const Problem& problem) {
    std::vector<int> lightest(static_cast<std::size_t>(problem.N), -1);
    for (const int place : places_by_weight(problem.edges)) {
      const int to = std::get<1>(problem.edges[place]);
      if (to != problem.root && lightest[to] < 0) lightest[to] = place;
    }
    std::erase(lightest, -1);
    return lightest;
  }

  static std::vector<int> by_weight(const Problem& problem) {
    DisjointSets sets(problem.N);
    std::vector<char> entered(static_cast<std::size_t>(problem.N));
    entered[problem.root] = 1;
    std::vector<int> chosen;
    for (const int place : places_by_weight(problem.edges)) {
      const auto& [from, to, weight] = problem.edges[place];
      if (entered[to] != 0 || !sets.join(from, to)) continue;
      entered[to] = 1;
      chosen.push_back(place);
    }
    return chosen;
  }

  // From the root, again and again the edge of the least key that leads to a new vertex.
  template <typename Key>
  static std::vector<int> grown(const Problem& problem, Key key) {
    std::vector<std::int64_t> keys;
    for (const int place : all_places(problem.edges)) keys.push_back(key(place));
    std::vector<char> reached(static_cast<std::size_t>(problem.N));
    reached[problem.root] = 1;
    std::vector<int> chosen;
    while (true) {
      int best = -1;
      for (int i = 0; i < static_cast<int>(keys.size()); ++i) {
        const auto& [from, to, weight] = problem.edges[i];
        if (reached[from] == 0 || reached[to] != 0) continue;
        if (best < 0 || keys[i] < keys[best]) best = i;
      }
      if (best < 0) return chosen;
      reached[std::get<1>(problem.edges[best])] = 1;
      chosen.push_back(best);
    }
  }

  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto count = static_cast<std::int64_t>(edges_at_density(n, config.edge_density));
    const std::vector<int> order = rng.permutation(n);
    Problem problem{.N = n, .edges = {}, .root = order[0], .gold_answer = 0};
    WeightTable taken(n);
    const auto add = [&](int from, int to) {
      if (from == to || taken(from, to) != 0) return;
      taken.set(from, to, 1);
      problem.edges.emplace_back(from, to, rng.integer(1, count));
    };
    for (const auto& [from, to] : random_recursive_tree(order, rng)) add(from, to);
    while (std::ssize(problem.edges) < count) {
      const int from = static_cast<int>(rng.integer(0, n - 1));
      add(from, static_cast<int>(rng.integer(0, n - 1)));
    }
    rng.shuffle(problem.edges);
    problem.gold_answer = weight_of(problem.edges, lightest_tree(problem));
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(MinimumDirectedSpanningTree);

}  // namespace
}  // namespace redqueen
