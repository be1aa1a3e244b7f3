#include <algorithm>
#include <array>
#include <span>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct GraphContainTreeCounting : StoredCount<1> {
  static constexpr Card card{
      .name = "GraphContainTreeCounting",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the ways to map the vertices of a tree to all vertices of a graph such that tree "
          "edges land on edges.",
      .levels =
          "From 4 vertices, one more a level; a random number of further edges hides a copy of the "
          "tree. Beyond level 9 the count takes long.",
      .rewards = "-1 malformed or not positive, else (min/max)^10 of the answer and the count.",
      .differences = "Only the exact count is solved.",
      .source = "ZJOI 2016: Little Star",
      .max_level = 9,
  };

  static constexpr std::array kDensities{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  static constexpr int kMaxN = 16;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> T_edges;
    std::vector<Edge> G_edges;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, T_edges, G_edges, reference_answer)
  };

  static Config at_level(int level, Rng& rng) {
    const int n = 4 + level;
    return {.N = n, .edge_density = draw_density(kDensities, n, n - 1, n * n, rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .T_edges = random_recursive_tree(rng.permutation(n), rng),
                    .G_edges = {},
                    .reference_answer = 0};
    const std::vector<int> map = rng.permutation(n);
    NeighbourSets near(static_cast<std::size_t>(n));
    for (const auto& [u, v] : problem.T_edges) {
      problem.G_edges.emplace_back(map[u], map[v]);
      near[map[u]] |= single(map[v]);
      near[map[v]] |= single(map[u]);
    }
    std::vector<Edge> free;
    for (int u = 0; u < n; ++u) {
      for (int v = u + 1; v < n; ++v) {
        if (!contains(near[u], v)) free.emplace_back(u, v);
      }
    }
    rng.shuffle(free);
    for (int more = undirected_edges_at(n, config.edge_density) - (n - 1); more > 0; --more) {
      problem.G_edges.push_back(free.back());
      free.pop_back();
    }
    disguise_edges(problem.T_edges, rng);
    disguise_edges(problem.G_edges, rng);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxN));
    RETURN_IF_ERROR(check_edges(problem.N, problem.T_edges, EdgeKind::kUndirected));
    RETURN_IF_ERROR(check_edges(problem.N, problem.G_edges, EdgeKind::kUndirected));
    if (!root_tree(problem.N, problem.T_edges, 0)) {
      return failure("\"T_edges\": they are no tree on {} vertices", problem.N);
    }
    const std::uint64_t right = count(problem);
    if (right == 0) return failure("\"G_edges\": the graph does not contain the tree");
    return reference_is("reference_answer", problem.reference_answer, BigInt(right));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree T and an undirected graph G have {0} vertices each, 0 to {1}. A line gives an edge "
        "by its two ends. The edges of T:\n"
        "{2}\n"
        "The edges of G:\n"
        "{3}\n"
        "Count the permutations p of 0, 1, …, {1} such that for every edge of T between u and v, G "
        "has an edge between p(u) and p(v). G may have further edges.\n"
        "Answer with the number of these permutations, one integer.",
        problem.N, problem.N - 1, format_edges(problem.T_edges), format_edges(problem.G_edges));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    BigInt all = 1;
    for (int i = 2; i <= problem.N; ++i) all *= i;
    BigInt expected = all;
    const int pairs = problem.N * (problem.N - 1) / 2;
    for (int i = 1; i < problem.N; ++i) expected = expected * problem.G_edges.size() / pairs;
    return {{"all permutations", format_answer(all)},
            {"as many as in a random graph", format_answer(expected)}};
  }

 private:
  // Inclusion and exclusion over the sets that maps, one-to-one or not, may reach. For one set, the
  // maps of a subtree by the image x of its root are the product over the root's children of what
  // they have at the neighbours of x; leaves have a 1 at each. Sums wrap around modulo 2^64, above
  // N!, so that the total is right all the same.
  static std::uint64_t count(const Problem& problem) {
    const int n = problem.N;
    const NeighbourSets near = neighbour_sets(n, problem.G_edges);
    const auto degrees = degrees_of(n, problem.T_edges);
    const int root = static_cast<int>(
        std::ranges::find_if(degrees, [&](int d) { return d > 1 || n == 2; }) - degrees.begin());
    const RootedTree tree = *root_tree(n, problem.T_edges, root);
    struct Inner {
      int vertex;
      int parent;
      int leaves;  // children
    };
    std::vector<Inner> inner;  // children before parents
    std::vector<int> leaves(static_cast<std::size_t>(n));
    for (std::size_t i = tree.order.size(); i-- > 0;) {
      const int v = tree.order[i];
      if (degrees[v] == 1 && v != root) {
        ++leaves[tree.parent[v]];
      } else {
        inner.push_back({v, tree.parent[v], leaves[v]});
      }
    }
    using Row = std::array<std::uint64_t, kMaxN>;
    std::array<Row, kMaxN> ways;
    std::array<Row, kMaxN> joined{};  // all bits where there is an edge
    for (const auto& [u, v] : problem.G_edges) joined[u][v] = joined[v][u] = ~std::uint64_t{0};
    std::uint64_t total = 0;
    for (VertexSet set = 1; set <= first_vertices(n); ++set) {
      Row reach{};  // neighbours in the set
      for (VertexSet images = set; images != 0; images &= images - 1) {
        const int x = std::countr_zero(images);
        reach[x] = static_cast<std::uint64_t>(std::popcount(near[x] & set));
      }
      for (const Inner& node : inner) {
        ways[node.vertex] = node.leaves == 0 ? Row{} : reach;
        if (node.leaves == 0) ways[node.vertex].fill(1);
        for (int i = 1; i < node.leaves; ++i) {
          for (int x = 0; x < n; ++x) ways[node.vertex][x] *= reach[x];
        }
      }
      for (const Inner& node : inner) {
        if (node.parent < 0) break;
        const Row& own = ways[node.vertex];
        Row sums{};
        for (VertexSet images = set; images != 0; images &= images - 1) {
          const int y = std::countr_zero(images);
          for (int x = 0; x < kMaxN; ++x) sums[x] += own[y] & joined[y][x];
        }
        for (int x = 0; x < kMaxN; ++x) ways[node.parent][x] *= sums[x];
      }
      std::uint64_t maps = 0;
      for (VertexSet images = set; images != 0; images &= images - 1) {
        maps += ways[root][std::countr_zero(images)];
      }
      total += (n - std::popcount(set)) % 2 == 0 ? maps : 0 - maps;
    }
    return total;
  }
};
REDQUEEN_ENVIRONMENT(GraphContainTreeCounting);

}  // namespace
}  // namespace redqueen
