#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/sample.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Clique_IndependentSet_Partitioning_Counting : StoredCount<0> {
  static constexpr Card card{
      .name = "Clique_IndependentSet_Partitioning_Counting",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the ways to divide the vertices of a graph into a clique and an independent set, "
          "neither of them empty.",
      .levels = "From 3 vertices, one more a level, up to 63.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the count.",
      .differences =
          "The number of vertices that can change sides is drawn first: in the published graphs it "
          "was nearly always 0, 1 or 2.",
      .small_answer_space =
          "A graph has at most about as many such divisions as vertices, which are 3 to 6 at "
          "levels 0 to 3; every graph on three vertices has 3.",
      .guess_until_level = 3,
      .source = "POI XVIII (2010/11): Conspiracy",
      .max_level = 60,
  };

  static constexpr int kMaxN = 63;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, edges, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  // A clique, an independent set, and movable vertices. These are all joined to the clique and to
  // nobody in the independent set; among each other either all are joined or none.
  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const int movable = static_cast<int>(rng.integer(0, n - 2));
    const int clique = static_cast<int>(rng.integer(1, n - movable - 1));
    const bool joined = rng.chance(0.5);
    const double share = rng.real();  // of the pairs between clique and independent set
    const std::vector<int> order = rng.permutation(n);
    Problem problem{.N = n, .edges = {}, .reference_answer = 0};
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) {
        const bool in_clique = j < clique;
        bool edge = in_clique;
        if (i >= clique + movable) {
          edge = in_clique && rng.chance(share);
        } else if (!in_clique) {
          edge = joined;
        }
        if (edge) problem.edges.emplace_back(order[i], order[j]);
      }
    }
    disguise_edges(problem.edges, rng);
    problem.reference_answer = divisions(problem);
    if (problem.edges.empty()) throw Retry();
    return problem;
  }

  // A clique of at least two vertices, and any number of the pairs between it and the others.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto clique = static_cast<int>(rng.integer(2, n - 1));
    const std::vector<int> order = rng.permutation(n);  // the clique first
    Problem problem{.N = n, .edges = {}, .reference_answer = 0};
    std::vector<Edge> outwards;
    for (int i = 0; i < clique; ++i) {
      for (int k = 0; k < i; ++k) problem.edges.emplace_back(order[k], order[i]);
      for (int k = clique; k < n; ++k) outwards.emplace_back(order[i], order[k]);
    }
    keep_sample(outwards, static_cast<std::size_t>(rng.below(outwards.size() + 1)), rng);
    problem.edges.insert(problem.edges.end(), outwards.begin(), outwards.end());
    disguise_edges(problem.edges, rng);
    problem.reference_answer = divisions(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxN));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected));
    return reference_is("reference_answer", problem.reference_answer, BigInt(divisions(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An undirected graph has {} vertices, 0 to {}. Each of these lines gives an edge by its "
        "two ends:\n"
        "{}\n"
        "Every vertex is put into exactly one of two sets, S and T, neither of which may be empty. "
        "Each two vertices of S must be joined by an edge, and no two vertices of T may be; a "
        "single vertex is enough for either set.\n"
        "Answer with the number of different sets S for which this holds, one integer.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

 private:
  // If a division exists, the vertices of highest degree are the clique of one: the first m, where
  // m is the number of vertices whose degree is at least their place, from 0, in that order
  // (P. Hammer and B. Simeone, "The splittance of a graph", 1981). A clique and an independent set
  // share at most one vertex, so any other division moves one vertex, or exchanges two.
  static std::int64_t divisions(const Problem& problem) {
    const int n = problem.N;
    const NeighbourSets near = neighbour_sets(n, problem.edges);
    const std::vector<int> degrees = degrees_of(n, problem.edges);
    const std::vector<int> order = vertices_by_degree(degrees);
    VertexSet clique = 0;
    for (int i = 0; i < n && degrees[order[i]] >= i; ++i) clique |= single(order[i]);
    if (!divides(near, clique)) return 0;
    std::int64_t count = is_allowed(n, clique);
    for (int u = 0; u < n; ++u) {
      count += is_allowed(n, clique ^ single(u)) && divides(near, clique ^ single(u));
      if (!contains(clique, u)) continue;
      for (int v = 0; v < n; ++v) {
        if (contains(clique, v)) continue;
        // No other neighbour of u becomes independent, and v is joined to all others.
        if ((near[u] & ~clique & ~single(v)) != 0) continue;
        if ((clique & ~single(u) & ~near[v]) != 0) continue;
        ++count;
      }
    }
    return count;
  }

  static bool is_allowed(int n, VertexSet clique) {
    return clique != 0 && clique != first_vertices(n);
  }

  static bool divides(const NeighbourSets& near, VertexSet clique) {
    for (std::size_t v = 0; v < near.size(); ++v) {
      const VertexSet own = single(static_cast<int>(v));
      const bool fits = (clique & own) != 0 ? (clique & ~near[v]) == own : (near[v] & ~clique) == 0;
      if (!fits) return false;
    }
    return true;
  }
};
REDQUEEN_ENVIRONMENT(Clique_IndependentSet_Partitioning_Counting);

}  // namespace
}  // namespace redqueen
