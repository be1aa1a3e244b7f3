#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/sample.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct EvenDegreeGraphPartitioning {
  static constexpr Card card{
      .name = "EvenDegreeGraphPartitioning",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task =
          "Label the vertices of a graph 1 or 2 such that each has an even number of neighbours "
          "with its own label.",
      .levels = "From 3 vertices, one more a level, up to 63.",
      .rewards =
          "-1 malformed, -0.5 another number of labels or one that is not 1 or 2, else (share of "
          "vertices with an even number)^10.",
      .differences =
          "Graphs are drawn evenly with a random number of edges, and from 5 vertices on only one "
          "division of the vertices is right: "
          "the published graphs often had even degrees throughout, so that label 1 for all "
          "vertices was right. From 5 vertices on, a problem is drawn again that is solved by one "
          "label for all, labels in turn, labels by the degree, or changing labels as long as that "
          "helps.",
      .small_answer_space =
          "On three vertices, at level 0, each labelling is right in every third problem or more.",
      .guess_until_level = 0,
      .source = "T. Gallai's theorem; L. Lovász, Combinatorial Problems and Exercises, 5.17",
      .max_level = 60,
  };

  static constexpr double kBeta = 10.0;
  static constexpr int kFewVertices = 5;
  static constexpr int kDraws = 300;
  static constexpr int kMaxN = 63;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    REDQUEEN_FIELDS(N, edges)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const int pairs = n * (n - 1) / 2;
    return draw_accepted(
        kDraws,
        [&] {
          const auto count = static_cast<int>(rng.integer(std::max(1, pairs / 4), pairs * 4 / 5));
          return Problem{.N = n, .edges = draw_edges(n, count, rng)};
        },
        [&](const Problem& problem) {
          const auto degrees = degrees_of(n, problem.edges);
          if (n < kFewVertices) {
            return std::ranges::any_of(degrees, [](int degree) { return degree % 2 != 0; });
          }
          return std::ranges::find(degrees, 0) == degrees.end() &&
                 Equations(problem).free_labels == 1 &&
                 !some_rule_solves<EvenDegreeGraphPartitioning>(problem);
        });
  }

  // Two groups within which all degrees are even, and any number of the pairs between them.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .edges = {}};
    while (problem.edges.empty()) {
      const std::vector<int> order = rng.permutation(n);
      const auto size = static_cast<std::size_t>(rng.integer(0, n));
      const std::span<const int> first = std::span(order).first(size);
      const std::span<const int> second = std::span(order).subspan(size);
      add_even_edges(first, problem.edges, rng);
      add_even_edges(second, problem.edges, rng);
      std::vector<Edge> between;
      for (const int u : first) {
        for (const int v : second) between.push_back(std::minmax(u, v));
      }
      keep_sample(between, static_cast<std::size_t>(rng.below(between.size() + 1)), rng);
      problem.edges.insert(problem.edges.end(), between.begin(), between.end());
    }
    rng.shuffle(problem.edges);
    return problem;
  }

  // Each vertex but the first and the last is joined to any number of those before it, and the last
  // one to all whose degree is odd by then.
  static void add_even_edges(std::span<const int> group, std::vector<Edge>& edges, Rng& rng) {
    if (group.size() <= 2) return;
    std::vector<char> odd(group.size());
    const std::size_t last = group.size() - 1;
    for (std::size_t i = 1; i < last; ++i) {
      const auto count = static_cast<std::size_t>(rng.below(i + 1));
      for (const std::int64_t k : rng.sample(0, static_cast<std::int64_t>(i) - 1, count)) {
        edges.push_back(std::minmax(group[i], group[k]));
        odd[i] ^= 1;
        odd[k] ^= 1;
      }
    }
    for (std::size_t i = 0; i < last; ++i) {
      if (odd[i] != 0) edges.push_back(std::minmax(group[i], group[last]));
    }
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxN));
    return check_edges(problem.N, problem.edges, EdgeKind::kUndirected);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An undirected graph has {0} vertices, 0 to {1}. Each of these lines gives an edge by its "
        "two ends:\n"
        "{2}\n"
        "Give every vertex the label 1 or 2 such that each vertex has an even number of neighbours "
        "with the same label as its own; 0 is even. A label may remain unused. Such labels exist; "
        "any will do.\n"
        "Answer with the labels of the vertices 0 to {1} in this order, {0} numbers on one line, "
        "separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    std::array<char, kMaxN> odd{};
    for (const std::int64_t label : answer) {
      if (label != 1 && label != 2) return kInvalidReward;
    }
    for (const auto& [u, v] : problem.edges) {
      if (answer[u] != answer[v]) continue;
      odd[u] ^= 1;
      odd[v] ^= 1;
    }
    const auto odds = std::accumulate(odd.begin(), odd.end(), std::int64_t{0});
    return share_reward(problem.N - odds, problem.N, kBeta);
  }

  static Answer solve(const Problem& problem) { return labels_of(Equations(problem).solution); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer labels(static_cast<std::size_t>(problem.N));
    for (std::int64_t& label : labels) label = rng.integer(1, 2);
    return labels;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto n = static_cast<std::size_t>(problem.N);
    const auto degrees = degrees_of(problem.N, problem.edges);
    Answer in_turn(n);
    Answer by_degree(n);
    for (std::size_t v = 0; v < n; ++v) {
      in_turn[v] = v % 2 == 0 ? 1 : 2;
      by_degree[v] = degrees[v] % 2 == 0 ? 1 : 2;
    }
    return {{"one label for all", Answer(n, 1)},
            {"labels in turn", in_turn},
            {"labels by the parity of the degree", by_degree},
            {"changing labels as long as that helps", improved(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Answer labels_of(const std::vector<char>& second) {
    Answer labels;
    for (const char bit : second) labels.push_back(bit != 0 ? 2 : 1);
    return labels;
  }

  // Over the field of two elements, x of a vertex being 1 for label 2: with an even degree, the
  // neighbours' x add up to 0; with an odd one, x and theirs add up to 1. Bit N is the right side.
  // Gauss–Jordan elimination; labels that remain free are 1.
  struct Equations {
    std::vector<char> solution;
    int free_labels = 0;

    explicit Equations(const Problem& problem) : solution(static_cast<std::size_t>(problem.N)) {
      const int n = problem.N;
      NeighbourSets rows = neighbour_sets(n, problem.edges);
      for (int v = 0; v < n; ++v) {
        if (std::popcount(rows[v]) % 2 != 0) rows[v] |= single(v) | single(n);
      }
      int rank = 0;
      for (int column = 0; column < n; ++column) {
        const auto pivot = std::find_if(rows.begin() + rank, rows.end(),
                                        [=](VertexSet row) { return contains(row, column); });
        if (pivot == rows.end()) {
          ++free_labels;
          continue;
        }
        std::iter_swap(rows.begin() + rank, pivot);
        for (int r = 0; r < n; ++r) {
          if (r != rank && contains(rows[r], column)) rows[r] ^= rows[rank];
        }
        ++rank;
      }
      for (int r = 0; r < rank; ++r) {
        solution[std::countr_zero(rows[r])] = static_cast<char>(contains(rows[r], n));
      }
    }
  };

  static Answer improved(const Problem& problem) {
    const int n = problem.N;
    const NeighbourSets near = neighbour_sets(n, problem.edges);
    VertexSet second = 0;
    const auto odds = [&] {
      int count = 0;
      for (int v = 0; v < n; ++v) {
        const VertexSet own = contains(second, v) ? second : ~second;
        count += std::popcount(near[v] & own) % 2;
      }
      return count;
    };
    int least = odds();
    for (bool changed = true; changed;) {
      changed = false;
      for (int v = 0; v < n; ++v) {
        second ^= single(v);
        if (const int now = odds(); now < least) {
          least = now;
          changed = true;
        } else {
          second ^= single(v);
        }
      }
    }
    Answer labels;
    for (int v = 0; v < n; ++v) labels.push_back(contains(second, v) ? 2 : 1);
    return labels;
  }
};
REDQUEEN_ENVIRONMENT(EvenDegreeGraphPartitioning);

}  // namespace
}  // namespace redqueen
