#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/clique.h"
#include "redqueen/gym/common/graph/colouring.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/planted_colouring.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MinimumHarmoniousChromaticNumber {
  static constexpr Card card{
      .name = "MinimumHarmoniousChromaticNumber",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Colour the vertices of a graph with as few colours as possible such that the ends of "
          "each edge differ and no two edges join the same two colours.",
      .levels =
          "From 5 vertices, one more a level, up to 64, with so few edges that two thirds as many "
          "colours as vertices are enough.",
      .rewards =
          "-1 malformed, -0.5 another number of colours than vertices, an edge whose ends have one "
          "colour or two edges that join the same colours, else (fewest / used colours)^5.",
      .differences =
          "Any integers are colours; the published statement asked for non-negative ones and took "
          "others as well. A colouring is planted whose number of colours is the least that the "
          "number of edges allows; in the published graphs, mostly every vertex needed a colour of "
          "its own. From 7 vertices on, a problem is drawn again that is solved by giving vertices "
          "the first colour that fits, in ascending or descending order or by their degrees, high "
          "or "
          "low ones first.",
      .slow_reason = SlowReason::kStricter,
      .source =
          "J. Hopcroft and M. Krishnamoorthy, On the harmonious coloring of graphs, 1983; with "
          "different ends of edges: S. Lee and J. Mitchem, An upper bound for the harmonious "
          "chromatic number, 1987",
      .max_level = 58,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewVertices = 7;
  static constexpr int kDraws = 500;
  static constexpr int kMaxN = 63;
  static constexpr int kMostNodes = 300'000;  // of a search in check()
  static constexpr int kMostSearched = 16;    // vertices of graphs whose number is searched

  using Config = PlantedColouringConfig;
  using Problem = PlantedColouring;
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 5 + level;
    const int colours = std::max(3, 2 * n / 3);
    const int most = colours * (colours - 1) / 2;
    return {
        .N = n,
        .edge_density = draw_density(kUndirectedDensities, n, std::max(3, most / 3), most, rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int count = undirected_edges_at(config.N, config.edge_density);
    return draw_accepted(
        kDraws, [&] { return drawn(config.N, count, rng); },
        [&](const Problem& problem) {
          return problem.N < kFewVertices ||
                 !some_rule_is_best<MinimumHarmoniousChromaticNumber>(
                     problem, [&](const Answer& colours) {
                       return std::ranges::max(colours) + 1 == problem.gold_answer;
                     });
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 5 + level;
    if (n > kMostSearched) return at_level(level, rng);
    return {.N = n, .edge_density = draw_density(kUndirectedDensities, n, 1, n * n, rng)};
  }

  // Any graph. The fewest colours of large ones take too long to find: there, a colouring is
  // planted.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const int count = undirected_edges_at(n, config.edge_density);
    if (n > kMostSearched) return drawn(n, count, rng);
    Problem problem{
        .N = n, .edges = draw_edges(n, count, rng), .reference_answer = {}, .gold_answer = n};
    Answer best(static_cast<std::size_t>(n));
    std::iota(best.begin(), best.end(), 0);
    while (problem.gold_answer > least_colours(count)) {
      const Search search(problem, static_cast<int>(problem.gold_answer) - 1);
      if (!search.found) {
        if (search.nodes_left == 0) throw Retry();
        break;
      }
      best = search.colouring;
      problem.gold_answer = std::ranges::max(best) + 1;
    }
    problem.reference_answer = format_answer(best);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_planted_colouring(problem, kMaxN, colours_of));
    if (problem.gold_answer > least_colours(std::ssize(problem.edges))) {
      Search search(problem, static_cast<int>(problem.gold_answer) - 1);
      if (search.found || search.nodes_left == 0) {
        return failure("\"gold_answer\": {} is not known to be the fewest", problem.gold_answer);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An undirected graph has {0} vertices, 0 to {1}. Each of these lines gives an edge by its "
        "two ends:\n"
        "{2}\n"
        "Give every vertex a colour such that the two ends of each edge have different colours, "
        "and no two edges join the same pair of colours: for any two colours, at most one edge has "
        "one end of the one and one end of the other. Use as few different colours as possible. "
        "Colours are integers of your choice.\n"
        "Answer with the colours of the vertices 0 to {1} in this order, {0} numbers on one line, "
        "separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

  static double score(const Problem& problem, const Answer& answer) {
    const std::int64_t colours = colours_of(problem, answer);
    if (colours == 0) return kInvalidReward;
    return minimise_reward(colours, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  // A colour for every vertex, which always fits.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::vector<int> colours = rng.permutation(problem.N);
    return {colours.begin(), colours.end()};
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    const NeighbourSets near = neighbour_sets(problem.N, problem.edges);
    const NeighbourSets square = squared(near);
    return try_vertex_orders(
        degrees_of(problem.N, problem.edges),
        {.high_first = "the first colour that fits, high degrees first",
         .low_first = "the first colour that fits, low degrees first",
         .ascending = "the first colour that fits in ascending order",
         .descending = "the first colour that fits in descending order"},
        [&](std::span<const int> order) { return first_fit(near, square, order); }, visit);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<MinimumHarmoniousChromaticNumber>(problem));
  }

 private:
  // The fewest colours that have as many pairs as there are edges.
  static std::int64_t least_colours(std::int64_t edges) {
    std::int64_t colours = 1;
    while (colours * (colours - 1) / 2 < edges) ++colours;
    return colours;
  }

  // Every edge joins two colours of its own.
  static Problem drawn(int n, int count, Rng& rng) {
    const int colours = static_cast<int>(least_colours(count));
    const auto [planted, classes] = draw_colour_classes(n, colours, rng);
    Problem problem{.N = n,
                    .edges = draw_edges(colours, count, rng),
                    .reference_answer = format_answer(planted),
                    .gold_answer = colours};
    for (auto& [u, v] : problem.edges) {
      u = rng.choice(classes[u]);
      v = rng.choice(classes[v]);
    }
    disguise_edges(problem.edges, rng);
    return problem;
  }

  // How many an answer uses; 0 if it breaks a rule.
  static std::int64_t colours_of(const Problem& problem, const Answer& answer) {
    const auto colouring = proper_colouring(problem.N, problem.edges, answer);
    if (!colouring) return 0;
    NeighbourSets joined(static_cast<std::size_t>(colouring->count));
    for (const auto& [u, v] : problem.edges) {
      const auto [a, b] = std::minmax(colouring->colour[u], colouring->colour[v]);
      if (contains(joined[a], b)) return 0;
      joined[a] |= single(b);
    }
    return colouring->count;
  }

  // Colours of some vertices, and which colours their edges join.
  struct Partial {
    const NeighbourSets& near;
    std::vector<int> colours;
    std::vector<VertexSet> joined;  // to a colour, by edges between coloured vertices
    VertexSet coloured = 0;

    explicit Partial(const NeighbourSets& graph)
        : near(graph), colours(graph.size()), joined(graph.size()) {}

    // The colours of v's neighbours; nullopt if two of them share one.
    std::optional<VertexSet> around(int v) const {
      VertexSet around = 0;
      for (VertexSet set = near[v] & coloured; set != 0; set &= set - 1) {
        const VertexSet colour = single(colours[std::countr_zero(set)]);
        if ((around & colour) != 0) return std::nullopt;
        around |= colour;
      }
      return around;
    }

    bool fits(int colour, VertexSet around) const {
      return !contains(around, colour) && (joined[colour] & around) == 0;
    }

    // Gives v the colour, or takes it back.
    void toggle(int v, int colour, VertexSet around) {
      colours[v] = colour;
      coloured ^= single(v);
      joined[colour] ^= around;
      for (; around != 0; around &= around - 1) joined[std::countr_zero(around)] ^= single(colour);
    }
  };

  // Vertices at distance two, which `square` joins, count as near, so that their colours differ.
  static Answer first_fit(const NeighbourSets& near, const NeighbourSets& square,
                          std::span<const int> order) {
    Partial partial(near);
    for (const int v : order) {
      const VertexSet around = *partial.around(v);
      VertexSet forbidden = 0;
      for (VertexSet set = square[v] & partial.coloured; set != 0; set &= set - 1) {
        forbidden |= single(partial.colours[std::countr_zero(set)]);
      }
      int colour = 0;
      while (contains(forbidden, colour) || !partial.fits(colour, around)) ++colour;
      partial.toggle(v, colour, around);
    }
    return {partial.colours.begin(), partial.colours.end()};
  }

  static NeighbourSets squared(const NeighbourSets& near) {
    NeighbourSets square = near;
    for (std::size_t v = 0; v < near.size(); ++v) {
      for (VertexSet set = near[v]; set != 0; set &= set - 1) {
        square[v] |= near[std::countr_zero(set)];
      }
      square[v] &= ~single(static_cast<int>(v));
    }
    return square;
  }

  // Whether `limit` colours are enough. Vertices at distance two have different colours as well;
  // those in a largest clique of this graph come first.
  struct Search {
    NeighbourSets near;
    NeighbourSets square;
    std::vector<int> order;
    Partial partial;
    int limit;
    int nodes_left = kMostNodes;
    bool found = false;
    Answer colouring;  // if found

    Search(const Problem& problem, int colours)
        : near(neighbour_sets(problem.N, problem.edges)),
          square(squared(near)),
          partial(near),
          limit(colours) {
      const VertexSet clique = maximum_clique(square);
      if (std::popcount(clique) > limit) return;
      for (const std::int64_t v : members_of(clique)) order.push_back(static_cast<int>(v));
      for (const int v : vertices_by_degree(degrees_of(problem.N, problem.edges))) {
        if (!contains(clique, v)) order.push_back(v);
      }
      visit(0, 0);
    }

    void visit(std::size_t place, int used) {
      if (found || nodes_left == 0) return;
      --nodes_left;
      if (place == order.size()) {
        found = true;
        colouring.assign(partial.colours.begin(), partial.colours.end());
        return;
      }
      const int v = order[place];
      const auto around = partial.around(v);
      if (!around) return;
      VertexSet forbidden = 0;
      for (VertexSet set = square[v] & partial.coloured; set != 0; set &= set - 1) {
        forbidden |= single(partial.colours[std::countr_zero(set)]);
      }
      for (int colour = 0; colour < std::min(used + 1, limit); ++colour) {
        if (contains(forbidden, colour) || !partial.fits(colour, *around)) continue;
        partial.toggle(v, colour, *around);
        visit(place + 1, std::max(used, colour + 1));
        partial.toggle(v, colour, *around);
      }
    }
  };
};
REDQUEEN_ENVIRONMENT(MinimumHarmoniousChromaticNumber);

}  // namespace
}  // namespace redqueen
