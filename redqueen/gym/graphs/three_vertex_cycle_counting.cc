#include <algorithm>
#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct ThreeVertexCycleCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "ThreeVertexCycleCounting",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the triangles of an undirected graph.",
      .levels =
          "From 5 vertices, a tenth and one more a level, with one to three edges a vertex. Beyond "
          "level 48 there would be more than 1000 vertices.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the count.",
      .differences =
          "A part of the edges lies among a part of the vertices, both randomly drawn: with edges "
          "drawn evenly, the number of triangles was small at all levels. Complete graphs are not "
          "drawn. From 7 vertices on, at most four fifths of all pairs are joined, and a problem "
          "is "
          "drawn again that is solved by what is expected of evenly drawn edges, or by the number "
          "of edges less vertices plus one.",
      .max_level = 48,
  };

  static constexpr int kFewVertices = 7;
  static constexpr int kDraws = 100;

  struct Config {
    int N = 0;
    double edge_ratio = 0;
    REDQUEEN_FIELDS(N, edge_ratio)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, edges, reference_answer)
  };

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(5, level);
    int most = 30;  // tenths
    const int pairs = n * (n - 1) / 2;
    while (edges_at(n, most / 10.0) > (n < kFewVertices ? pairs - 1 : pairs * 4 / 5)) --most;
    return {.N = n, .edge_ratio = static_cast<double>(rng.integer(10, most)) / 10.0};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& problem) {
          return problem.N < kFewVertices || !some_rule_solves<ThreeVertexCycleCounting>(problem);
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(5, level);
    int most = 30;  // tenths
    while (edges_at(n, most / 10.0) > n * (n - 1) / 2) --most;
    return {.N = n, .edge_ratio = static_cast<double>(rng.integer(10, most)) / 10.0};
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{
        .N = n, .edges = draw_edges(n, edges_at(n, config.edge_ratio), rng), .reference_answer = 0};
    Rows rows(n);
    for (const auto& [u, v] : problem.edges) rows.join(u, v);
    problem.reference_answer = triangles(problem, rows);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected));
    Rows rows(problem.N);
    for (const auto& [u, v] : problem.edges) rows.join(u, v);
    return reference_is("reference_answer", problem.reference_answer,
                        BigInt(triangles(problem, rows)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An undirected graph has {} vertices, 0 to {}. Each of these lines gives an edge by its "
        "two ends:\n"
        "{}\n"
        "A triangle is a set of three vertices, each two of which are joined by an edge.\n"
        "Answer with the number of triangles, one integer.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const double density = static_cast<double>(problem.edges.size()) /
                           (0.5 * static_cast<double>(problem.N) * (problem.N - 1));
    const double triples = static_cast<double>(problem.N) * (problem.N - 1) * (problem.N - 2) / 6.0;
    return {{"as many as in evenly drawn edges",
             static_cast<std::int64_t>(triples * density * density * density + 0.5)},
            {"edges less vertices plus one", std::ssize(problem.edges) - problem.N + 1}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // ⌊ratio · n⌋ in doubles, as the published ladder has it.
  static int edges_at(int n, double ratio) { return static_cast<int>(ratio * n); }

  // An adjacency matrix of bits.
  struct Rows {
    std::size_t words;
    std::vector<std::uint64_t> bits;

    explicit Rows(int n)
        : words((static_cast<std::size_t>(n) + 63) / 64),
          bits(static_cast<std::size_t>(n) * words) {}

    std::uint64_t* row(int v) { return &bits[static_cast<std::size_t>(v) * words]; }
    bool has(int u, int v) { return (row(u)[v / 64] >> (v % 64) & 1) != 0; }
    void join(int u, int v) {
      row(u)[v / 64] |= std::uint64_t{1} << (v % 64);
      row(v)[u / 64] |= std::uint64_t{1} << (u % 64);
    }
  };

  // A random part of the edges within a random part of the vertices.
  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    const int count = edges_at(n, config.edge_ratio);
    int least = 3;
    while (least * (least - 1) / 2 < count) ++least;
    const auto core = static_cast<std::uint64_t>(rng.integer(least, n));
    const double share = rng.real();
    const std::vector<int> order = rng.permutation(n);
    Problem problem{.N = n, .edges = {}, .reference_answer = 0};
    problem.edges.reserve(static_cast<std::size_t>(count));
    Rows rows(n);
    while (std::ssize(problem.edges) < count) {
      const std::uint64_t part = rng.chance(share) ? core : static_cast<std::uint64_t>(n);
      const auto [u, v] = std::minmax(order[rng.below(part)], order[rng.below(part)]);
      if (u == v || rows.has(u, v)) continue;
      rows.join(u, v);
      problem.edges.emplace_back(u, v);
    }
    problem.reference_answer = triangles(problem, rows);
    return problem;
  }

  static std::int64_t triangles(const Problem& problem, Rows& rows) {
    std::int64_t corners = 0;
    for (const auto& [u, v] : problem.edges) {
      for (std::size_t w = 0; w < rows.words; ++w) {
        corners += std::popcount(rows.row(u)[w] & rows.row(v)[w]);
      }
    }
    return corners / 3;
  }
};
REDQUEEN_ENVIRONMENT(ThreeVertexCycleCounting);

}  // namespace
}  // namespace redqueen
