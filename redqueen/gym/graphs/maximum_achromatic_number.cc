#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/colouring.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/planted_colouring.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MaximumAchromaticNumber {
  static constexpr Card card{
      .name = "MaximumAchromaticNumber",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Colour the vertices of a graph with as many colours as possible such that the ends of "
          "each edge differ and every two colours are joined by an edge.",
      .levels =
          "From 5 vertices, one more a level, up to 63, with so few edges that they join at most "
          "two thirds as many colours as there are vertices.",
      .rewards =
          "-1 malformed, -0.5 another number of colours than vertices, an edge whose ends have one "
          "colour or two colours that no edge joins, else (used / most colours)^5.",
      .differences =
          "Any integers are colours; the published statement asked for non-negative ones and took "
          "others as well. A colouring is planted whose number of colours is the most that the "
          "number of edges allows. From 7 vertices on, a problem is drawn again that is solved by "
          "giving vertices the first colour that is free, in ascending or descending order or by "
          "their degrees, high or low ones first.",
      .source =
          "F. Harary, S. Hedetniemi and G. Prins, An interpolation theorem for graphical "
          "homomorphisms, 1967",
      .max_level = 58,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewVertices = 7;
  static constexpr int kDraws = 500;
  static constexpr int kMaxN = 63;
  static constexpr int kMostNodes = 1'000'000;  // of a search in check()
  static constexpr int kMostSearched = 16;      // vertices of graphs whose number is searched

  using Config = PlantedColouringConfig;
  using Problem = PlantedColouring;
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 5 + level;
    const int colours = std::max(3, 2 * n / 3);
    return {.N = n,
            .edge_density = draw_density(kUndirectedDensities, n, std::max(3, n / 2),
                                         colours * (colours + 1) / 2 - 1, rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int count = undirected_edges_at(config.N, config.edge_density);
    return draw_accepted(
        kDraws, [&] { return drawn(config.N, count, rng); },
        [&](const Problem& problem) {
          return problem.N < kFewVertices || !some_rule_solves<MaximumAchromaticNumber>(problem);
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 5 + level;
    if (n > kMostSearched) return at_level(level, rng);
    return {.N = n, .edge_density = draw_density(kUndirectedDensities, n, 1, n * n, rng)};
  }

  // Any graph. The most colours of large ones take too long to find: there, a colouring is planted.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const int count = undirected_edges_at(n, config.edge_density);
    if (n > kMostSearched) return drawn(n, count, rng);
    Problem problem{
        .N = n, .edges = draw_edges(n, count, rng), .reference_answer = {}, .gold_answer = 0};
    const std::vector<int> order = vertices_by_degree(degrees_of(n, problem.edges));
    Answer best = first_fit_colouring(neighbour_sets(n, problem.edges), order);
    problem.gold_answer = std::ranges::max(best) + 1;
    // A graph that has complete colourings with k and with more colours has one with k + 1.
    while (problem.gold_answer < most_colours(count)) {
      Search search(problem, static_cast<int>(problem.gold_answer) + 1);
      if (!search.found) {
        if (search.nodes_left == 0) throw Retry();
        break;
      }
      best = search.colouring;
      ++problem.gold_answer;
    }
    problem.reference_answer = format_answer(best);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_planted_colouring(problem, kMaxN, colours_of));
    if (problem.gold_answer < most_colours(std::ssize(problem.edges))) {
      // A graph that has complete colourings with k and with more colours has one with k + 1.
      Search search(problem, static_cast<int>(problem.gold_answer) + 1);
      if (search.found || search.nodes_left == 0) {
        return failure("\"gold_answer\": {} is not known to be the most", problem.gold_answer);
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
        "and for every two different colours that you use, there is an edge with one end of the "
        "one and one end of the other. Use as many different colours as possible. Colours are "
        "integers of your choice.\n"
        "Answer with the colours of the vertices 0 to {1} in this order, {0} numbers on one line, "
        "separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

  static double score(const Problem& problem, const Answer& answer) {
    const std::int64_t colours = colours_of(problem, answer);
    if (colours == 0) return kInvalidReward;
    return maximise_reward(colours, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  // The first free colour, in random order: each vertex has edges to all smaller colours.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return first_fit_colouring(neighbour_sets(problem.N, problem.edges),
                               rng.permutation(problem.N));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const NeighbourSets near = neighbour_sets(problem.N, problem.edges);
    std::vector<int> ascending(static_cast<std::size_t>(problem.N));
    std::iota(ascending.begin(), ascending.end(), 0);
    const std::vector<int> descending(ascending.rbegin(), ascending.rend());
    const std::vector<int> high_first = vertices_by_degree(degrees_of(problem.N, problem.edges));
    const std::vector<int> low_first(high_first.rbegin(), high_first.rend());
    return {{"the first free colour in ascending order", first_fit_colouring(near, ascending)},
            {"the first free colour in descending order", first_fit_colouring(near, descending)},
            {"the first free colour, high degrees first", first_fit_colouring(near, high_first)},
            {"the first free colour, low degrees first", first_fit_colouring(near, low_first)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // The most colours whose pairs are no more than the edges.
  static std::int64_t most_colours(std::int64_t edges) {
    std::int64_t colours = 1;
    while (colours * (colours + 1) / 2 <= edges) ++colours;
    return colours;
  }

  // An edge for every two colours, and further ones between different colours.
  static Problem drawn(int n, int count, Rng& rng) {
    const int colours = static_cast<int>(most_colours(count));
    const auto [planted, classes] = draw_colour_classes(n, colours, rng);
    Problem problem{
        .N = n, .edges = {}, .reference_answer = format_answer(planted), .gold_answer = colours};
    NeighbourSets near(static_cast<std::size_t>(n));
    const auto join = [&](int u, int v) {
      near[u] |= single(v);
      near[v] |= single(u);
      problem.edges.emplace_back(u, v);
    };
    for (int a = 0; a < colours; ++a) {
      for (int b = 0; b < a; ++b) join(rng.choice(classes[a]), rng.choice(classes[b]));
    }
    std::vector<Edge> free;
    for (int u = 0; u < n; ++u) {
      for (int v = 0; v < u; ++v) {
        if (planted[u] != planted[v] && !contains(near[u], v)) free.emplace_back(u, v);
      }
    }
    rng.shuffle(free);
    while (std::ssize(problem.edges) < count) {
      if (free.empty()) throw Retry();
      join(free.back().first, free.back().second);
      free.pop_back();
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
      joined[colouring->colour[u]] |= single(colouring->colour[v]);
      joined[colouring->colour[v]] |= single(colouring->colour[u]);
    }
    for (const VertexSet others : joined) {
      if (std::popcount(others) + 1 != colouring->count) return 0;
    }
    return colouring->count;
  }

  // Whether there is a complete colouring with just so many colours.
  struct Search {
    NeighbourSets near;
    std::vector<int> order;
    std::vector<int> edges_left;  // with an end at the i-th place of the order or later
    std::vector<VertexSet> classes;
    int colours;
    int nodes_left = kMostNodes;
    bool found = false;
    Answer colouring;  // if found

    Search(const Problem& given, int count)
        : near(neighbour_sets(given.N, given.edges)),
          order(vertices_by_degree(degrees_of(given.N, given.edges))),
          edges_left(order.size() + 1),
          colours(count) {
      VertexSet later = 0;
      for (std::size_t i = order.size(); i-- > 0;) {
        later |= single(order[i]);
        edges_left[i] = 0;
        for (const auto& [u, v] : given.edges) {
          edges_left[i] += contains(later, u) || contains(later, v);
        }
      }
      if (count <= given.N) visit(0);
    }

    int pairs_missing() const {
      const int used = static_cast<int>(classes.size());
      int missing = colours * (colours - 1) / 2;
      for (int a = 0; a < used; ++a) {
        VertexSet around = 0;
        for (VertexSet set = classes[a]; set != 0; set &= set - 1) {
          around |= near[std::countr_zero(set)];
        }
        for (int b = 0; b < a; ++b) missing -= (around & classes[b]) != 0;
      }
      return missing;
    }

    void visit(std::size_t place) {
      if (found || nodes_left == 0) return;
      --nodes_left;
      const int missing = pairs_missing();
      if (place == order.size()) {
        found = missing == 0;
        if (!found) return;
        colouring.assign(order.size(), 0);
        for (std::size_t c = 0; c < classes.size(); ++c) {
          for (const std::int64_t v : members_of(classes[c])) {
            colouring[v] = static_cast<std::int64_t>(c);
          }
        }
        return;
      }
      if (missing > edges_left[place]) return;
      if (classes.size() + order.size() - place < static_cast<std::size_t>(colours)) return;
      const int v = order[place];
      for (std::size_t c = 0; c < classes.size(); ++c) {  // which may move in memory
        if ((classes[c] & near[v]) != 0) continue;
        classes[c] |= single(v);
        visit(place + 1);
        classes[c] &= ~single(v);
      }
      if (std::ssize(classes) < colours) {
        classes.push_back(single(v));
        visit(place + 1);
        classes.pop_back();
      }
    }
  };
};
REDQUEEN_ENVIRONMENT(MaximumAchromaticNumber);

}  // namespace
}  // namespace redqueen
