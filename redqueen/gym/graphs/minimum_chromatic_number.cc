#include <algorithm>
#include <span>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/clique.h"
#include "redqueen/gym/common/graph/colouring.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MinimumChromaticNumber {
  static constexpr Card card{
      .name = "MinimumChromaticNumber",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Colour the vertices of a graph with as few colours as possible such that the two ends "
          "of each edge differ.",
      .levels =
          "From 5 vertices, one more a level; about a quarter to three quarters of all pairs are "
          "joined. Beyond level 30 the fewest colours would take long to find.",
      .rewards =
          "-1 malformed, -0.5 another number of colours than vertices or an edge whose ends have "
          "one colour, else (fewest / used colours)^5.",
      .differences =
          "Any integers are colours; the published statement asked for non-negative ones and took "
          "others as well. Very sparse and very dense graphs are not drawn. From 7 vertices on, a "
          "problem is drawn again that is solved by giving vertices the first colour that is free, "
          "be it in ascending or descending order or by their degrees, high or low ones first.",
      .slow_reason = SlowReason::kStricter,
      .source = "R. Karp, Reducibility among combinatorial problems, 1972: chromatic number",
      .max_level = 30,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewVertices = 7;
  static constexpr int kDraws = 1000;
  static constexpr int kMaxN = 36;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edges, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 5 + level;
    const int pairs = n * (n - 1) / 2;
    return {.N = n,
            .edge_density = draw_density(kUndirectedDensities, n, std::max(n - 1, pairs / 4),
                                         pairs * 7 / 10, rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const int count = undirected_edges_at(n, config.edge_density);
    const auto draw = [&] {
      return Problem{.N = n, .edges = draw_edges(n, count, rng), .gold_answer = 0};
    };
    return draw_accepted(kDraws, draw, [&](Problem& problem) {
      const NeighbourSets near = neighbour_sets(n, problem.edges);
      const VertexSet clique = maximum_clique(near);
      std::int64_t by_rules = n + 1;  // the fewest colours of a rule
      // A rule that needs no more colours than a clique is best, and spares the search.
      if (n >= kFewVertices && try_orders(near, [&](std::string_view, const Answer& colours) {
            by_rules = std::min(by_rules, std::ranges::max(colours) + 1);
            return by_rules == std::popcount(clique);
          })) {
        return false;
      }
      problem.gold_answer = Search(near, clique, by_rules).fewest;
      return problem.gold_answer < by_rules;
    });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 5 + level;
    return {.N = n, .edge_density = draw_density(kUndirectedDensities, n, 1, n * n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const int count = undirected_edges_at(n, config.edge_density);
    Problem problem{.N = n, .edges = draw_edges(n, count, rng), .gold_answer = 0};
    const NeighbourSets near = neighbour_sets(n, problem.edges);
    problem.gold_answer = Search(near, maximum_clique(near), n + 1).fewest;
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxN));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected));
    const NeighbourSets near = neighbour_sets(problem.N, problem.edges);
    return reference_is("gold_answer", problem.gold_answer,
                        Search(near, maximum_clique(near), problem.N + 1).fewest);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An undirected graph has {0} vertices, 0 to {1}. Each of these lines gives an edge by its "
        "two ends:\n"
        "{2}\n"
        "Give every vertex a colour such that the two ends of each edge have different colours, "
        "and use as few different colours as possible. Colours are integers of your choice.\n"
        "Answer with the colours of the vertices 0 to {1} in this order, {0} numbers on one line, "
        "separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

  static double score(const Problem& problem, const Answer& answer) {
    const auto colouring = proper_colouring(problem.N, problem.edges, answer);
    if (!colouring) return kInvalidReward;
    return minimise_reward<std::int64_t>(colouring->count, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    const NeighbourSets near = neighbour_sets(problem.N, problem.edges);
    const Search search(near, maximum_clique(near), problem.N + 1);
    Answer colours(static_cast<std::size_t>(problem.N));
    for (std::size_t colour = 0; colour < search.best.size(); ++colour) {
      for (const std::int64_t v : members_of(search.best[colour])) {
        colours[v] = static_cast<std::int64_t>(colour);
      }
    }
    return colours;
  }

  // A colour for every vertex, which always fits.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::vector<int> colours = rng.permutation(problem.N);
    return {colours.begin(), colours.end()};
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    return try_orders(neighbour_sets(problem.N, problem.edges), visit);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<MinimumChromaticNumber>(problem));
  }

 private:
  template <typename Visit>
  static bool try_orders(const NeighbourSets& near, Visit visit) {
    std::vector<int> degrees;
    degrees.reserve(near.size());
    for (const VertexSet neighbours : near) degrees.push_back(std::popcount(neighbours));
    return try_vertex_orders(
        degrees,
        {.high_first = "the first free colour, high degrees first",
         .low_first = "the first free colour, low degrees first",
         .ascending = "the first free colour in ascending order",
         .descending = "the first free colour in descending order"},
        [&](std::span<const int> order) { return first_fit_colouring(near, order); }, visit);
  }

  // Branch and bound: the vertex that the most colours are forbidden to comes next (D. Brélaz, "New
  // methods to color the vertices of a graph", 1979). A largest clique is a lower bound.
  struct Search {
    const NeighbourSets& near;
    std::int64_t bound;
    std::int64_t fewest;
    std::vector<VertexSet> classes;
    std::vector<VertexSet> best;

    // `clique` is a largest one. Finds nothing that needs `enough` colours or more.
    Search(const NeighbourSets& neighbours, VertexSet clique, std::int64_t enough)
        : near(neighbours), bound(std::popcount(clique)), fewest(enough) {
      for (const std::int64_t v : members_of(clique)) {
        classes.push_back(single(static_cast<int>(v)));
      }
      classes.reserve(near.size());
      visit(first_vertices(static_cast<int>(near.size())) & ~clique);
    }

    void visit(VertexSet open) {
      if (std::ssize(classes) >= fewest || fewest == bound) return;
      if (open == 0) {
        fewest = std::ssize(classes);
        best = classes;
        return;
      }
      int next = -1;
      int most = -1;
      for (VertexSet set = open; set != 0; set &= set - 1) {
        const int v = std::countr_zero(set);
        int forbidden = 0;
        for (const VertexSet members : classes) forbidden += (members & near[v]) != 0;
        const int urgency = forbidden * kMaxSetVertices + std::popcount(near[v] & open);
        if (urgency > most) {
          most = urgency;
          next = v;
        }
      }
      open &= ~single(next);
      for (std::size_t c = 0; c < classes.size(); ++c) {
        if ((classes[c] & near[next]) != 0) continue;
        classes[c] |= single(next);
        visit(open);
        classes[c] &= ~single(next);
      }
      classes.push_back(single(next));
      visit(open);
      classes.pop_back();
    }
  };
};
REDQUEEN_ENVIRONMENT(MinimumChromaticNumber);

}  // namespace
}  // namespace redqueen
