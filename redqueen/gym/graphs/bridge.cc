#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/sample.h"

namespace redqueen {
namespace {

// Which edges of a simple graph are bridges: those of a spanning forest over which no other edge
// closes a cycle.
class BridgeFinder {
 public:
  BridgeFinder(int n, const std::vector<Edge>& edges)
      : edges_(edges), parent_edge_(size(n), -1), depth_(size(n)), top_(size(n)) {
    std::iota(top_.begin(), top_.end(), 0);
    grow_forest(n);
    bridge_.assign(edges.size(), 0);
    for (const int edge : parent_edge_) {
      if (edge >= 0) bridge_[size(edge)] = 1;
    }
    // Merging what a cycle has covered lets every edge of the forest be walked over once.
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (!in_forest_[i]) cover_path(edges[i].first, edges[i].second);
    }
  }

  bool is_bridge(std::size_t edge) const { return bridge_[edge] == 1; }

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  void grow_forest(int n) {
    std::vector<int> start(size(n) + 1);  // of a vertex's slice of `incident`
    for (const auto& [u, v] : edges_) ++start[size(u)], ++start[size(v)];
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<int> incident(2 * edges_.size());
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      incident[size(--start[size(edges_[i].first)])] = static_cast<int>(i);
      incident[size(--start[size(edges_[i].second)])] = static_cast<int>(i);
    }
    in_forest_.assign(edges_.size(), 0);
    std::vector<char> reached(size(n));
    std::vector<int> queue;
    for (int root = 0; root < n; ++root) {
      if (std::exchange(reached[size(root)], 1) == 1) continue;
      queue.assign(1, root);
      for (std::size_t head = 0; head < queue.size(); ++head) {
        const int u = queue[head];
        for (int k = start[size(u)]; k < start[size(u) + 1]; ++k) {
          const int edge = incident[size(k)];
          const int v = other_end(edge, u);
          if (std::exchange(reached[size(v)], 1) == 1) continue;
          in_forest_[size(edge)] = 1;
          parent_edge_[size(v)] = edge;
          depth_[size(v)] = depth_[size(u)] + 1;
          queue.push_back(v);
        }
      }
    }
  }

  int other_end(int edge, int end) const {
    const auto& [u, v] = edges_[size(edge)];
    return u == end ? v : u;
  }

  int top(int vertex) {
    while (top_[size(vertex)] != vertex)
      vertex = top_[size(vertex)] = top_[size(top_[size(vertex)])];
    return vertex;
  }

  void cover_path(int u, int v) {
    for (u = top(u), v = top(v); u != v; u = top(u)) {
      if (depth_[size(u)] < depth_[size(v)]) std::swap(u, v);
      const int edge = parent_edge_[size(u)];
      bridge_[size(edge)] = 0;
      top_[size(u)] = other_end(edge, u);
    }
  }

  const std::vector<Edge>& edges_;
  std::vector<char> in_forest_;   // by edge
  std::vector<char> bridge_;      // by edge
  std::vector<int> parent_edge_;  // by vertex; −1: a root
  std::vector<int> depth_;        // by vertex
  std::vector<int>
      top_;  // by vertex: the highest one known to share a cycle with it, or a step towards it
};

struct Bridge {
  static constexpr Card card{
      .name = "Bridge",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kPairs,
      .scoring = Scoring::kFeasibility,
      .task = "List all bridges of an undirected graph: the edges whose removal parts their ends.",
      .levels =
          "The number of vertices grows from 4 by a tenth and one a level; density and the number "
          "of groups that only bridges join are drawn. Beyond level 40 there would be over 1000 "
          "vertices.",
      .rewards =
          "-1 malformed, -0.5 an edge that is no bridge or is listed twice, else (listed / "
          "bridges)^5.",
      .differences =
          "Groups have at least half as many inner edges as there are vertices, there is a cycle, "
          "and from 6 vertices on a bridge that does not end in a leaf: in sparse graphs all "
          "edges were bridges. From 6 vertices on one group is a single cycle of four vertices or "
          "more, so that edges in no triangle need not be bridges. Other graphs are drawn again.",
      .source = "Tarjan, A note on finding the bridges of a graph, 1974",
      .version = 2,
      .max_level = 40,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::size_t kLeastCycle = 4;
  static constexpr int kFewVertices =
      6;  // fewer: no room for a cycle and a bridge with more than a leaf behind it

  struct Config {
    int N = 0;
    int component_num = 0;
    double edge_density = 0.0;
    REDQUEEN_FIELDS(N, component_num, edge_density)
  };
  struct Problem {
    int N = 0;
    int component_num = 0;
    double edge_density = 0.0;
    std::vector<Edge> edges;
    REDQUEEN_FIELDS(N, component_num, edge_density, edges)
  };
  using Answer = std::vector<std::int64_t>;  // the two ends of every bridge, one after the other

  static Config at_level(int level, Rng& rng) {
    constexpr std::array kDensities{0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35,
                                    0.4,  0.45, 0.5, 0.6,  0.7, 0.8,  0.9};
    constexpr std::array kShares{0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8};
    Config config{
        .N = grow_by_tenth(4, level), .component_num = 0, .edge_density = rng.choice(kDensities)};
    std::vector<int> counts;  // ascending, each once
    for (const double share : kShares) {
      const int count = static_cast<int>(share * config.N);
      if (count >= 2 && (counts.empty() || counts.back() != count)) counts.push_back(count);
    }
    config.component_num = rng.choice(counts);
    return config;
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .component_num = config.component_num,
                    .edge_density = config.edge_density,
                    .edges = {}};
    const std::vector<std::vector<int>> groups = drawn_groups(config, rng);
    problem.edges = draw_links(groups, rng);
    add_inner_edges(problem, groups, config.N >= kFewVertices, rng);
    rng.shuffle(problem.edges);
    const Answer bridges = solve(problem);
    if (bridges.size() == 2 * problem.edges.size()) throw Retry();
    if (config.N >= kFewVertices && bridges == edges_at_leaves(problem)) throw Retry();
    return problem;
  }

  // Groups that edges join to one another, and further edges within groups, uniformly drawn.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    std::vector<std::vector<int>> groups;
    while (groups.size() < 2) {
      groups.assign(config.component_num, {});
      for (int v = 0; v < n; ++v) rng.choice(groups).push_back(v);
      std::erase_if(groups, [](const std::vector<int>& group) { return group.empty(); });
    }
    Problem problem{.N = n,
                    .component_num = config.component_num,
                    .edge_density = config.edge_density,
                    .edges = draw_links(groups, rng)};
    std::vector<Edge> inner;
    for (const std::vector<int>& group : groups) {
      for (std::size_t i = 0; i < group.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) inner.emplace_back(group[k], group[i]);
      }
    }
    const auto count = static_cast<std::size_t>(config.edge_density * n * (n - 1) / 2);
    keep_sample(inner, count > problem.edges.size() ? count - problem.edges.size() : 0, rng);
    problem.edges.insert(problem.edges.end(), inner.begin(), inner.end());
    rng.shuffle(problem.edges);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = check_edges(problem.N, problem.edges, EdgeKind::kUndirected); !sound)
      return sound;
    if (solve(problem).empty()) return failure("\"edges\": none of them is a bridge");
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An undirected graph, not necessarily connected, has the vertices 0 to {} and these {} "
        "edges, one per line:\n"
        "{}\n"
        "An edge is a bridge if without it there is no path between its two ends. List all "
        "bridges; there is at least one.\n"
        "Answer with the two ends of each bridge, all on one line and separated by spaces: u1 v1 "
        "u2 v2 and so on. The order of the bridges and of the ends of a bridge is free.",
        problem.N - 1, problem.edges.size(), format_edges(problem.edges));
  }

  static std::optional<Answer> parse(std::string_view answer) {
    auto ends = parse_int_list(answer);
    if (ends && ends->size() % 2 == 1) return std::nullopt;
    return ends;
  }

  static double score(const Problem& problem, const Answer& answer) {
    const BridgeFinder finder(problem.N, problem.edges);
    std::vector<std::pair<std::int64_t, std::int64_t>> bridges;
    for (std::size_t i = 0; i < problem.edges.size(); ++i) {
      if (finder.is_bridge(i))
        bridges.emplace_back(std::minmax(problem.edges[i].first, problem.edges[i].second));
    }
    std::ranges::sort(bridges);
    std::vector<char> listed(bridges.size());
    for (std::size_t i = 0; i < answer.size(); i += 2) {
      const std::pair<std::int64_t, std::int64_t> ends = std::minmax(answer[i], answer[i + 1]);
      const auto place = std::ranges::lower_bound(bridges, ends);
      if (place == bridges.end() || *place != ends) return kInvalidReward;
      if (std::exchange(listed[place - bridges.begin()], 1) == 1) return kInvalidReward;
    }
    return share_reward(std::ssize(answer) / 2, std::ssize(bridges), kBeta);
  }

  static Answer solve(const Problem& problem) {
    const BridgeFinder finder(problem.N, problem.edges);
    return ends_of_edges(problem, [&](std::size_t i) { return finder.is_bridge(i); });
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return ends_of_edges(problem, [&](std::size_t) { return rng.chance(0.5); });
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"all edges", format_answer(ends_of_edges(problem, [](std::size_t) { return true; }))},
            {"all edges at a vertex of degree 1", format_answer(edges_at_leaves(problem))},
            {"all edges in no triangle", format_answer(edges_in_no_triangle(problem))}};
  }

 private:
  static Edge ordered(int u, int v) { return std::minmax(u, v); }

  // Every vertex in one of `component_num` groups, of which at least two are not empty.
  static std::vector<std::vector<int>> drawn_groups(const Config& config, Rng& rng) {
    std::vector<std::vector<int>> groups;
    const std::size_t longest = config.N >= kFewVertices ? kLeastCycle : 1;
    const auto is_long = [longest](const auto& group) { return group.size() >= longest; };
    while (groups.size() < 2 || std::ranges::none_of(groups, is_long)) {
      groups.assign(config.component_num, {});
      // Many small groups leave no room for a cycle: some of its vertices then stay together.
      const std::vector<int> order = rng.permutation(config.N);
      const auto together = static_cast<std::size_t>(
          longest > 1 && 2 * config.component_num > config.N ? longest : 0);
      for (std::size_t i = 0; i < order.size(); ++i) {
        (i < together ? groups[0] : rng.choice(groups)).push_back(order[i]);
      }
      std::erase_if(groups, [](const std::vector<int>& group) { return group.empty(); });
    }
    return groups;
  }

  // An edge from each group but the first to a vertex of one before it.
  static std::vector<Edge> draw_links(const std::vector<std::vector<int>>& groups, Rng& rng) {
    std::vector<Edge> links;
    std::vector<int> earlier;
    for (const std::vector<int>& group : groups) {
      if (!earlier.empty()) {
        const int from = rng.choice(earlier);
        links.push_back(ordered(from, rng.choice(group)));
      }
      earlier.insert(earlier.end(), group.begin(), group.end());
    }
    return links;
  }

  static void add_inner_edges(Problem& problem, const std::vector<std::vector<int>>& groups,
                              bool with_cycle, Rng& rng) {
    std::vector<Edge> inner;
    const std::vector<int>* cycle = nullptr;  // the first group that is long enough
    for (const std::vector<int>& group : groups) {
      if (with_cycle && cycle == nullptr && group.size() >= kLeastCycle) {
        cycle = &group;
        add_cycle(problem, group, rng);
        continue;
      }
      for (std::size_t i = 0; i < group.size(); ++i) {
        for (std::size_t j = i + 1; j < group.size(); ++j)
          inner.push_back(ordered(group[i], group[j]));
      }
    }
    rng.shuffle(inner);
    const auto wanted =
        static_cast<std::ptrdiff_t>(problem.edge_density * (problem.N * (problem.N - 1) / 2));
    const std::ptrdiff_t least = std::max(3, problem.N / 2);
    const std::ptrdiff_t count =
        std::min(std::ssize(inner), std::max(least, wanted - std::ssize(problem.edges)));
    problem.edges.insert(problem.edges.end(), inner.begin(), inner.begin() + count);
  }

  static void add_cycle(Problem& problem, const std::vector<int>& group, Rng& rng) {
    std::vector<int> order = group;
    rng.shuffle(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      problem.edges.push_back(ordered(order[i], order[(i + 1) % order.size()]));
    }
  }

  static Answer edges_in_no_triangle(const Problem& problem) {
    const auto n = static_cast<std::size_t>(problem.N);
    std::vector<std::vector<char>> joined(n, std::vector<char>(n));
    for (const auto& [u, v] : problem.edges) joined[u][v] = joined[v][u] = 1;
    return ends_of_edges(problem, [&](std::size_t i) {
      const auto& [u, v] = problem.edges[i];
      for (std::size_t w = 0; w < n; ++w) {
        if (joined[u][w] != 0 && joined[v][w] != 0) return false;
      }
      return true;
    });
  }

  template <typename Choose>
  static Answer ends_of_edges(const Problem& problem, Choose choose) {
    Answer ends;
    for (std::size_t i = 0; i < problem.edges.size(); ++i) {
      if (!choose(i)) continue;
      ends.push_back(problem.edges[i].first);
      ends.push_back(problem.edges[i].second);
    }
    return ends;
  }

  static Answer edges_at_leaves(const Problem& problem) {
    std::vector<int> degree(static_cast<std::size_t>(problem.N));
    for (const auto& [u, v] : problem.edges) {
      ++degree[u];
      ++degree[v];
    }
    return ends_of_edges(problem, [&](std::size_t i) {
      const auto& [u, v] = problem.edges[i];
      return degree[u] == 1 || degree[v] == 1;
    });
  }
};
REDQUEEN_ENVIRONMENT(Bridge);

}  // namespace
}  // namespace redqueen
