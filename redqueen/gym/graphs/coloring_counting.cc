#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct ColoringCounting : StoredCount<1> {
  static constexpr Card card{
      .name = "ColoringCounting",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Add up, over all proper colourings of a graph in which each vertex has a largest colour "
          "of its own, how many colours they use.",
      .levels =
          "From 4 vertices, one more a level, with at least one edge a vertex where so many can "
          "be. Beyond level 9 the count takes long.",
      .rewards = "-1 malformed or not positive, else (min/max)^10 of the answer and the sum.",
      .differences =
          "Only the exact sum is solved. Of the published densities, those with fewer edges than "
          "vertices are not drawn: their isolated vertices have a single colour.",
      .max_level = 9,
  };

  static constexpr int kMaxN = 17;
  static constexpr std::int64_t kMaxR = 100;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    std::vector<std::int64_t> R;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, edges, R, reference_answer)
  };

  static Config at_level(int level, Rng& rng) {
    const int n = 4 + level;
    return {.N = n, .edge_density = draw_density(kUndirectedDensities, n, n - 1, n * n, rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .edges = draw_edges(n, undirected_edges_at(n, config.edge_density), rng),
                    .R = {},
                    .reference_answer = 0};
    for (const int degree : degrees_of(n, problem.edges)) {
      problem.R.push_back(rng.integer(degree, 2 * degree));
    }
    problem.reference_answer = Count(problem).sum();
    return problem;
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 4 + level;
    return {.N = n, .edge_density = draw_density(kUndirectedDensities, n, 1, n * n, rng)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxN));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected));
    RETURN_IF_ERROR(check_numbers("R", problem.R, problem.N, 0, kMaxR));
    const BigInt sum = Count(problem).sum();
    if (sum == 0) return failure("\"R\": there is no proper colouring");
    return reference_is("reference_answer", problem.reference_answer, sum);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An undirected graph has {} vertices, 0 to {}. Each of these lines gives an edge by its "
        "two ends:\n"
        "{}\n"
        "A colouring gives every vertex u a colour C[u], which is an integer with 0 ≤ C[u] ≤ R[u]; "
        "the two ends of an edge never have the same colour. The bounds are:\n"
        "{}\n"
        "The value of a colouring is the number of different colours in it. Two colourings are "
        "different if some vertex has different colours in them.\n"
        "Answer with the sum of the values of all colourings, one integer.",
        problem.N, problem.N - 1, format_edges(problem.edges), with_indices("R", problem.R));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    BigInt free = 1;
    for (const std::int64_t r : problem.R) free *= r + 1;
    BigInt ordered = 1;
    std::vector<std::int64_t> bounds = problem.R;
    std::ranges::sort(bounds);
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      ordered *= std::max<std::int64_t>(1, bounds[i] + 1 - static_cast<std::int64_t>(i));
    }
    return {{"all choices of colours", format_answer(free)},
            {"all vertices in different colours", format_answer(ordered * problem.N)}};
  }

 private:
  __extension__ using Wide = unsigned __int128;

  // The sum is, over all colours c, the number of colourings less the number of those without c;
  // these are the colourings where each bound ≥ c is one less. So every colour from one bound,
  // exclusive, to the next, inclusive, gives the same, and one pass counts for all of them: a case
  // for every different bound, and the first for no colour forbidden.
  //
  // Vertices come in the order of their bounds. Those with neighbours still to come are open, and
  // what matters of a colouring is which open vertices share a colour. If these have k colours, the
  // next vertex takes one of them that no neighbour has, or one of the bound + 1 − k others.
  struct Count {
    std::vector<int> order;
    std::vector<VertexSet> earlier;    // neighbours of the i-th vertex, by place
    std::vector<VertexSet> open;       // places that are open after the i-th
    std::vector<std::int64_t> bounds;  // in order
    std::vector<std::int64_t> steps;   // the different bounds
    std::size_t width;                 // cases

    // Which places share a colour: five bits for every place, 0 for none, else 1, 2, … in the order
    // of first appearance.
    struct State {
      Wide key;
      std::uint32_t row;  // of the counts
    };
    std::vector<State> states{{0, 0}};
    std::vector<Wide> counts;  // a row of `width` for every state
    std::vector<State> next;
    std::vector<Wide> next_counts;

    explicit Count(const Problem& problem)
        : order(static_cast<std::size_t>(problem.N)),
          earlier(order.size()),
          open(order.size()),
          steps(problem.R) {
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, {}, [&](int v) { return problem.R[v]; });
      std::vector<int> place(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) {
        place[order[i]] = static_cast<int>(i);
        bounds.push_back(problem.R[order[i]]);
      }
      for (const auto& [u, v] : problem.edges) {
        const auto [first, last] = std::minmax(place[u], place[v]);
        earlier[last] |= single(first);
        for (int i = first; i < last; ++i) open[i] |= single(first);
      }
      std::ranges::sort(steps);
      steps.erase(std::ranges::unique(steps).begin(), steps.end());
      width = steps.size() + 1;
      counts.assign(width, 1);
      for (std::size_t i = 0; i < order.size(); ++i) advance(static_cast<int>(i));
    }

    BigInt sum() const {
      BigInt sum = 0;
      std::int64_t before = -1;
      for (std::size_t j = 0; j < steps.size(); ++j) {
        sum += BigInt(counts[0] - counts[j + 1]) * (steps[j] - before);
        before = steps[j];
      }
      return sum;
    }

    void advance(int i) {
      next.clear();
      next_counts.clear();
      for (const State& state : states) {
        std::array<VertexSet, kMaxN + 1> classes{};
        int colours = 0;
        for (int p = 0; p < i; ++p) {
          const int name = static_cast<int>(state.key >> (5 * p) & 31);
          if (name == 0) continue;
          classes[name - 1] |= single(p);
          colours = std::max(colours, name);
        }
        for (int c = 0; c <= colours; ++c) {
          if ((classes[c] & earlier[i]) != 0) continue;
          const std::uint32_t row = static_cast<std::uint32_t>(next.size());
          next.push_back({key_with(classes, colours, c, i), row});
          for (std::size_t j = 0; j < width; ++j) {
            const bool one_less = j > 0 && bounds[i] >= steps[j - 1];
            const auto others = static_cast<Wide>(bounds[i] + 1 - one_less - colours);
            const Wide count = counts[state.row * width + j];
            next_counts.push_back(c < colours ? count : count * others);
          }
        }
      }
      merge();
    }

    // The i-th vertex joins class c; classes lose the vertices that are no longer open.
    Wide key_with(std::array<VertexSet, kMaxN + 1>& classes, int colours, int c, int i) const {
      Wide key = 0;
      int names = 0;
      classes[c] |= single(i);
      for (int k = 0; k <= colours; ++k) {
        VertexSet left = classes[k] & open[i];
        if (left == 0) continue;
        ++names;
        for (; left != 0; left &= left - 1) {
          key |= static_cast<Wide>(names) << (5 * std::countr_zero(left));
        }
      }
      classes[c] &= ~single(i);
      return key;
    }

    // Equal states become one.
    void merge() {
      std::ranges::sort(next, {}, &State::key);
      states.clear();
      counts.clear();
      for (const State& state : next) {
        const Wide* row = &next_counts[state.row * width];
        if (!states.empty() && states.back().key == state.key) {
          Wide* sums = &counts[counts.size() - width];
          for (std::size_t j = 0; j < width; ++j) sums[j] += row[j];
        } else {
          states.push_back({state.key, static_cast<std::uint32_t>(states.size())});
          counts.insert(counts.end(), row, row + width);
        }
      }
    }
  };
};
REDQUEEN_ENVIRONMENT(ColoringCounting);

}  // namespace
}  // namespace redqueen
