#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Vertex_KCenter {
  static constexpr Card card{
      .name = "Vertex_KCenter",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose some vertices of a graph with lengths such that no vertex is far from all of "
          "them.",
      .levels =
          "From 4 vertices, one more a level, with at least as many edges as vertices and 2 to a "
          "third of the vertices to choose. Beyond level 36 the best choice would take long to "
          "find.",
      .rewards =
          "-1 malformed, -0.5 a vertex that does not exist or comes twice, or a wrong number of "
          "them, else (least distance / distance)^5.",
      .differences =
          "Of the published densities, one of the three lowest is drawn that give at least as many "
          "edges as vertices. At most a third of the vertices is chosen, where that is two or "
          "more, and few random choices are right. From 6 vertices on, a problem is drawn again "
          "that is solved by the first "
          "vertices, those with most edges or nearest to all others, the vertex farthest from "
          "those before, or the vertex that helps most.",
      .source =
          "S. Hakimi, Optimum locations of switching centers and the absolute centers and "
          "medians of a graph, 1964",
      .max_level = 36,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kDensities{0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35,
                                         0.4,  0.45, 0.5, 0.6,  0.7, 0.8,  0.9};
  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 400;
  static constexpr int kMostVertices = 40;
  static constexpr int kTrials = 30;          // random choices of a problem
  static constexpr int kMostRightTrials = 6;  // of those
  static constexpr std::int64_t kFar = std::int64_t{1} << 50;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<WeightedEdge> edges;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, K, edges, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 4 + level;
    const auto densities =
        sparsest(kDensities, 3, n, [n](double density) { return undirected_edges_at(n, density); });
    return {.N = n, .edge_density = rng.choice(densities)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::int64_t count = undirected_edges_at(n, config.edge_density);
    const auto draw = [&] {
      const auto edges = draw_connected_edges(n, static_cast<std::size_t>(count), rng);
      return Problem{.N = n,
                     .K = static_cast<int>(rng.integer(2, std::max(2, n / 3))),
                     .edges = weigh_edges(edges, 1, n, rng),
                     .gold_answer = 0};
    };
    return draw_accepted(kDraws, draw, [&](Problem& problem) {
      const Distances distances(problem);
      problem.gold_answer = radius(distances, best_centers(problem, distances));
      const auto is_best = [&](std::string_view, const Answer& chosen) {
        return radius(distances, chosen) == problem.gold_answer;
      };
      if (n >= kFewVertices && try_rules(problem, distances, is_best)) return false;
      int right = 0;
      for (int i = 0; i < kTrials; ++i) {
        right += radius(distances, random_answer(problem, rng)) == problem.gold_answer;
      }
      return right <= kMostRightTrials;
    });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 4 + level;
    return {.N = n, .edge_density = draw_density(kDensities, n, n - 1, n * n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto count = static_cast<std::size_t>(undirected_edges_at(n, config.edge_density));
    const auto edges = draw_connected_edges(n, count, rng);
    Problem problem{.N = n,
                    .K = static_cast<int>(rng.integer(1, n - 1)),
                    .edges = weigh_edges(edges, 1, n, rng),
                    .gold_answer = 0};
    const Distances distances(problem);
    problem.gold_answer = radius(distances, best_centers(problem, distances));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N - 1));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected, 1));
    if (!is_connected(problem.N, problem.edges)) return failure("\"edges\": they join not all");
    const Distances distances(problem);
    return reference_is("gold_answer", problem.gold_answer,
                        radius(distances, best_centers(problem, distances)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A connected graph has {} vertices, 0 to {}. Each of these lines gives an edge by its two "
        "ends and its length:\n"
        "{}\n"
        "The distance between two vertices is the length of a shortest path between them, that is "
        "the least sum of lengths of edges. Choose exactly {} different vertices such that the "
        "greatest distance of a vertex from the nearest chosen one is as small as possible.\n"
        "Answer with the chosen vertices in any order on one line, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K) return kInvalidReward;
    std::uint64_t chosen = 0;
    for (const std::int64_t v : answer) {
      if (v < 0 || v >= problem.N || (chosen & bit(v)) != 0) return kInvalidReward;
      chosen |= bit(v);
    }
    return minimise_reward(radius(Distances(problem), answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return best_centers(problem, Distances(problem)); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(0, problem.N - 1, static_cast<std::size_t>(problem.K));
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    return try_rules(problem, Distances(problem), visit);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<Vertex_KCenter>(problem));
  }

 private:
  class Distances;

  template <typename Visit>
  static bool try_rules(const Problem& problem, const Distances& distances, Visit visit) {
    std::vector<std::int64_t> keys(static_cast<std::size_t>(problem.N));
    if (visit("the first vertices", first_by(problem, keys))) return true;
    for (const auto& [u, v, length] : problem.edges) {
      --keys[u];
      --keys[v];
    }
    if (visit("the vertices with most edges", first_by(problem, keys))) return true;
    for (int u = 0; u < problem.N; ++u) {
      keys[u] = 0;
      for (int v = 0; v < problem.N; ++v) keys[u] += distances(u, v);
    }
    return visit("the vertices nearest to all others", first_by(problem, keys)) ||
           visit("vertex 0, then always the vertex farthest from those before",
                 farthest_first(problem, distances)) ||
           visit("always the vertex that helps most", helping_most(problem, distances));
  }

  static std::uint64_t bit(std::int64_t v) { return std::uint64_t{1} << v; }

  class Distances {
   public:
    explicit Distances(const Problem& problem)
        : n_(problem.N), lengths_(static_cast<std::size_t>(n_) * n_, kFar) {
      for (int v = 0; v < n_; ++v) at(v, v) = 0;
      for (const auto& [u, v, length] : problem.edges) at(u, v) = at(v, u) = length;
      for (int by = 0; by < n_; ++by) {
        for (int u = 0; u < n_; ++u) {
          const std::int64_t first = at(u, by);
          for (int v = 0; v < n_; ++v) at(u, v) = std::min(at(u, v), first + at(by, v));
        }
      }
    }

    int size() const { return n_; }
    std::int64_t operator()(std::int64_t u, std::int64_t v) const { return lengths_[u * n_ + v]; }
    const std::vector<std::int64_t>& all() const { return lengths_; }

   private:
    std::int64_t& at(int u, int v) { return lengths_[static_cast<std::size_t>(u) * n_ + v]; }

    int n_;
    std::vector<std::int64_t> lengths_;  // n × n
  };

  // `centers` is not empty.
  static std::int64_t radius(const Distances& distances, const Answer& centers) {
    std::int64_t farthest = 0;
    for (int v = 0; v < distances.size(); ++v) {
      std::int64_t nearest = kFar;
      for (const std::int64_t center : centers) nearest = std::min(nearest, distances(center, v));
      farthest = std::max(farthest, nearest);
    }
    return farthest;
  }

  // Whether `left` vertices serve all open ones; if so, it adds them to `chosen`. One of those that
  // serve the open vertex with the fewest such has to be among them.
  static bool serve(const std::vector<std::uint64_t>& served, std::uint64_t open, int left,
                    std::uint64_t& chosen) {
    if (open == 0) return true;
    if (left == 0) return false;
    int most = 0;
    for (const std::uint64_t set : served) most = std::max(most, std::popcount(set & open));
    if (std::popcount(open) > most * left) return false;
    std::uint64_t servants = 0;
    int fewest = 65;
    for (std::uint64_t rest = open; rest != 0; rest &= rest - 1) {
      const std::uint64_t here = served[std::countr_zero(rest)];  // distances are symmetric
      if (std::popcount(here) >= fewest) continue;
      fewest = std::popcount(here);
      servants = here;
    }
    for (; servants != 0; servants &= servants - 1) {
      const int v = std::countr_zero(servants);
      if (!serve(served, open & ~served[v], left - 1, chosen)) continue;
      chosen |= bit(v);
      return true;
    }
    return false;
  }

  // The least distance for which so few vertices serve all others, by bisection of all distances.
  static Answer best_centers(const Problem& problem, const Distances& distances) {
    std::vector<std::int64_t> lengths = distances.all();
    std::ranges::sort(lengths);
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    const auto choice = [&](std::int64_t length) {
      std::vector<std::uint64_t> served(static_cast<std::size_t>(problem.N));
      for (int u = 0; u < problem.N; ++u) {
        for (int v = 0; v < problem.N; ++v) {
          if (distances(u, v) <= length) served[u] |= bit(v);
        }
      }
      std::uint64_t chosen = 0;
      return serve(served, bit(problem.N) - 1, problem.K, chosen) ? chosen : std::uint64_t{0};
    };
    std::size_t low = 0;
    std::size_t high = lengths.size() - 1;  // any vertex serves all
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (choice(lengths[middle]) != 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    std::uint64_t chosen = choice(lengths[low]);
    for (int v = 0; std::popcount(chosen) < problem.K; ++v) chosen |= bit(v);
    Answer centers;
    for (; chosen != 0; chosen &= chosen - 1) centers.push_back(std::countr_zero(chosen));
    return centers;
  }

  // The K vertices of the least keys.
  static Answer first_by(const Problem& problem, const std::vector<std::int64_t>& keys) {
    Answer order(static_cast<std::size_t>(problem.N));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int64_t v) { return keys[v]; });
    order.resize(problem.K);
    return order;
  }

  // T. Gonzalez, "Clustering to minimize the maximum intercluster distance", 1985.
  static Answer farthest_first(const Problem& problem, const Distances& distances) {
    Answer centers{0};
    while (std::ssize(centers) < problem.K) {
      std::int64_t farthest = -1;
      std::int64_t away = -1;
      for (int v = 0; v < problem.N; ++v) {
        std::int64_t nearest = kFar;
        for (const std::int64_t center : centers) {
          nearest = std::min(nearest, distances(center, v));
        }
        if (nearest <= away) continue;
        away = nearest;
        farthest = v;
      }
      centers.push_back(farthest);
    }
    return centers;
  }

  static Answer helping_most(const Problem& problem, const Distances& distances) {
    Answer centers;
    while (std::ssize(centers) < problem.K) {
      std::int64_t best = -1;
      std::int64_t least = kFar;
      for (int v = 0; v < problem.N; ++v) {
        if (std::ranges::find(centers, v) != centers.end()) continue;
        centers.push_back(v);
        const std::int64_t now = radius(distances, centers);
        centers.pop_back();
        if (now >= least) continue;
        least = now;
        best = v;
      }
      centers.push_back(best);
    }
    return centers;
  }
};
REDQUEEN_ENVIRONMENT(Vertex_KCenter);

}  // namespace
}  // namespace redqueen
