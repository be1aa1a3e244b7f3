#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/further_edges.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct FixedOneEdgeNum_SpanningTree {
  static constexpr Card card{
      .name = "FixedOneEdgeNum_SpanningTree",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task =
          "Find a spanning tree of a graph whose edges weigh 0 or 1 that has a given number of "
          "edges of weight 1.",
      .levels =
          "From 4 vertices, a tenth more and one a level, with half as many edges again as "
          "vertices or more. Beyond level 32 the list of edges would be too long to read.",
      .rewards =
          "-1 malformed or an odd number of integers, -0.5 not a spanning tree of edges, 0 a "
          "spanning tree of another weight, 1 right.",
      .differences =
          "Of the published ratios, those from 1.5 on are drawn. There are spanning trees with "
          "fewer edges of weight 1 and with more, and few random ones have the wanted number. From "
          "6 vertices on, a problem is drawn again that is solved without regard to weights; from "
          "18 on, also one that is solved by the first edges of one weight, as many as are wanted, "
          "and others after them.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "In most small graphs, the first edges of one weight, as many as are wanted, can be "
          "completed with the other weight: in those of up to 16 vertices, at levels 0 to 9, "
          "this is allowed to be right.",
      .guess_until_level = 9,
      .max_level = 32,
  };

  static constexpr int kFewVertices = 6;
  static constexpr int kManyVertices = 18;
  static constexpr int kDraws = 400;
  static constexpr int kTrials = 30;          // random trees of a problem
  static constexpr int kMostRightTrials = 5;  // of those
  static constexpr int kMostVertices = 300;

  struct Config {
    int N = 0;
    double edge_ratio = 0;
    REDQUEEN_FIELDS(N, edge_ratio)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;  // weight 0 or 1
    int K = 0;
    REDQUEEN_FIELDS(N, edges, K)
  };
  using Answer = std::vector<std::int64_t>;  // both ends of each edge

  static Config at_level(int level, Rng& rng) { return draw_level(level, 15, rng); }

  static Config published_level(int level, Rng& rng) { return draw_level(level, 10, rng); }

  // `least`: tenths of the lowest ratio.
  static Config draw_level(int level, int least, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    int most = 30;
    while (static_cast<int>(most / 10.0 * n) > n * (n - 1) / 2) --most;
    return {.N = n, .edge_ratio = static_cast<double>(rng.integer(least, most)) / 10.0};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto count = static_cast<std::size_t>(config.edge_ratio * n);
    for (int draw = 0; draw < kDraws; ++draw) {
      Problem problem{.N = n, .edges = {}, .K = 0};
      // Some vertices have edges of one weight only, so that a tree needs both weights.
      std::vector<int> only(static_cast<std::size_t>(n), -1);
      for (int& weight : only) {
        if (rng.chance(0.4)) weight = rng.chance(0.5) ? 1 : 0;
      }
      const double heavy = rng.real(0.2, 0.8);
      for (const auto& [u, v] : draw_connected_edges(n, count, rng)) {
        const int forced = only[u] >= 0 ? only[u] : only[v];
        problem.edges.emplace_back(u, v, forced >= 0 ? forced : rng.chance(heavy) ? 1 : 0);
      }
      if (!choose_wanted(problem, rng)) continue;
      if (n >= kFewVertices && some_rule_solves<FixedOneEdgeNum_SpanningTree>(problem)) continue;
      return problem;
    }
    throw Retry();
  }

  // A tree, whose number of ones is asked for, and further edges; ones are of one random share in
  // the tree and of another one outside.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .edges = {}, .K = 0};
    const auto add = [&](const Edge& edge, double ones) {
      const int weight = rng.chance(ones) ? 1 : 0;
      const auto [u, v] = std::minmax(edge.first, edge.second);
      problem.edges.emplace_back(u, v, weight);
      return weight;
    };
    const double in_tree = rng.real();
    for (const Edge& edge : random_recursive_tree(rng.permutation(n), rng)) {
      problem.K += add(edge, in_tree);
    }
    const double outside = rng.real();
    const auto count = static_cast<std::int64_t>(config.edge_ratio * n);
    for (const Edge& edge :
         draw_further_edges(n, problem.edges, EdgeKind::kUndirected, count, rng)) {
      add(edge, outside);
    }
    rng.shuffle(problem.edges);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected, 0));
    for (const auto& [u, v, weight] : problem.edges) {
      RETURN_IF_ERROR(within("edges", weight, 0, 1));
    }
    if (!is_connected(problem.N, problem.edges)) return failure("\"edges\": they join not all");
    return within("K", problem.K, weight_of(problem.edges, tree_of(problem, 0)),
                  weight_of(problem.edges, tree_of(problem, 1)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A connected graph has {0} vertices, 0 to {1}. Each of these lines gives an edge by its "
        "two ends and its weight, 0 or 1:\n"
        "{2}\n"
        "Choose {1} of the edges that make a tree on all vertices, such that exactly {3} of them "
        "have weight 1. There is such a tree; any will do.\n"
        "Answer with the ends of the chosen edges, \"u1 v1 u2 v2 …\", {4} numbers on one line, "
        "separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), problem.K, 2 * (problem.N - 1));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_edge_ends(text); }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != 2 * (std::int64_t{problem.N} - 1)) return kInvalidReward;
    const auto places = EdgePlaces(problem.N, problem.edges, EdgeKind::kUndirected).of(answer);
    if (!places || !is_spanning_tree(problem.N, problem.edges, *places)) return kInvalidReward;
    return exact_reward(weight_of(problem.edges, *places) == problem.K);
  }

  // The edges of weight 1 that no tree of least weight does without, others of weight 1 that close
  // no cycle with them up to the wanted number, and edges of weight 0.
  static Answer solve(const Problem& problem) {
    std::vector<int> needed;
    for (const int place : tree_of(problem, 0)) {
      if (std::get<2>(problem.edges[place]) == 1) needed.push_back(place);
    }
    return edge_ends(problem.edges, completed(problem, needed, 1));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return edge_ends(problem.edges, random_tree(problem, rng));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    auto rules = all_rules(problem);
    if (problem.N < kManyVertices) rules.resize(2);
    return rules;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules(problem));
  }

 private:
  static std::vector<SimpleRule<Answer>> all_rules(const Problem& problem) {
    const auto ends = [&](const std::vector<int>& places) {
      return edge_ends(problem.edges, places);
    };
    return {
        {"the first edges that make a tree",
         ends(acyclic_places(problem.N, problem.edges, all_places(problem.edges)))},
        {"paths of fewest edges from vertex 0",
         ends(breadth_first_places(problem.N, problem.edges, EdgeKind::kUndirected, 0))},
        {"the first edges of weight 1, then those of weight 0", ends(completed(problem, {}, 1))},
        {"the first edges of weight 0, then those of weight 1", ends(completed(problem, {}, 0))}};
  }

  // All places, those of edges of this weight first.
  static std::vector<int> places_from(const Problem& problem, int weight) {
    std::vector<int> places = all_places(problem.edges);
    std::ranges::stable_partition(places,
                                  [&](int i) { return std::get<2>(problem.edges[i]) == weight; });
    return places;
  }

  // With as many edges of this weight as can be.
  static std::vector<int> tree_of(const Problem& problem, int weight) {
    return acyclic_places(problem.N, problem.edges, places_from(problem, weight));
  }

  static std::vector<int> random_tree(const Problem& problem, Rng& rng) {
    std::vector<int> order = all_places(problem.edges);
    rng.shuffle(order);
    return acyclic_places(problem.N, problem.edges, order);
  }

  // A forest with further edges of this weight, in order, until as many as are wanted have it, and
  // then with others; if these do not make it a tree, with any.
  static std::vector<int> completed(const Problem& problem, const std::vector<int>& forest,
                                    int weight) {
    std::int64_t wanted =
        (weight == 1 ? problem.K : problem.N - 1 - problem.K) - std::ssize(forest);
    DisjointSets sets(problem.N);
    std::vector<int> tree = forest;
    for (const int place : forest) {
      const auto& [u, v, w] = problem.edges[place];
      sets.join(u, v);
    }
    std::vector<int> order = places_from(problem, weight);
    const std::vector<int> all = order;
    order.insert(order.end(), all.begin(), all.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto& [u, v, w] = problem.edges[order[i]];
      const bool second_round = i >= all.size();
      if (w == weight && wanted == 0 && !second_round) continue;
      if (!sets.join(u, v)) continue;
      wanted -= w == weight;
      tree.push_back(order[i]);
    }
    return tree;
  }

  // Of the weights between least and greatest, one that few random trees have. False: there is
  // none.
  static bool choose_wanted(Problem& problem, Rng& rng) {
    const auto least = weight_of(problem.edges, tree_of(problem, 0));
    const auto most = weight_of(problem.edges, tree_of(problem, 1));
    if (most - least < 2) return false;
    std::vector<int> times(static_cast<std::size_t>(problem.N));
    if (problem.N >= kFewVertices) {
      for (int i = 0; i < kTrials; ++i) {
        ++times[weight_of(problem.edges, random_tree(problem, rng))];
      }
    }
    std::vector<int> rare;
    for (auto weight = least + 1; weight < most; ++weight) {
      if (times[weight] <= kMostRightTrials) rare.push_back(static_cast<int>(weight));
    }
    if (rare.empty()) return false;
    problem.K = rng.choice(rare);
    return true;
  }
};
REDQUEEN_ENVIRONMENT(FixedOneEdgeNum_SpanningTree);

}  // namespace
}  // namespace redqueen
