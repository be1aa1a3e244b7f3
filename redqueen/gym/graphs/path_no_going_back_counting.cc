#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/number/modular_matrix.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/random_integer.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Path_NoGoingBack_Counting {
  static constexpr Card card{
      .name = "Path_NoGoingBack_Counting",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo 10000, the walks of given length between two vertices of a graph that "
          "never go straight back along the edge they came by.",
      .levels =
          "At most 10 edges, a tenth and one more a level; a walk on N vertices has up to 2^N "
          "steps. The highest level is what powers of matrices reach in good time.",
      .rewards = "-1 malformed, -0.5 not in 0..9999, 0 wrong, 1 right.",
      .differences =
          "The number of edges comes from the upper half of its range, and vertices have three "
          "neighbours on average or more, because in nearly bare paths the count was mostly 0 or "
          "1; problems whose answer is 0 are drawn again.",
      .version = 2,  // a parameter with a wrong reference_answer is refused
      .max_level = 24,
  };

  static constexpr int kModulus = 10'000;
  static constexpr int kFewestEdges = 5;     // fewer cannot make two cycles
  static constexpr int kMostVertices = 102;  // of level 24; a count takes O(N³ log T)

  struct Config {
    int MAX_M = 0;
    REDQUEEN_FIELDS(MAX_M)
  };
  struct Problem {
    int M = 0;
    int N = 0;
    BigInt T;
    std::vector<Edge> edges;
    int reference_answer = 0;
    REDQUEEN_FIELDS(M, N, T, edges, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_M = grow_by_tenth(10, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem;
    problem.M = static_cast<int>(draw_upper_half(kFewestEdges, config.MAX_M, rng));
    int least = 3;
    while (least * (least - 1) / 2 < problem.M) ++least;
    problem.N = static_cast<int>(rng.integer(least, std::max(least, problem.M * 2 / 3)));
    problem.T = random_integer(problem.N, BigInt(1) << problem.N, rng);
    problem.edges = connected_graph(problem.N, problem.M, rng);
    problem.reference_answer = count_walks(problem);
    if (problem.reference_answer == 0) throw Retry();
    return problem;
  }

  // A path through all vertices and further edges, uniformly drawn.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem;
    problem.M = static_cast<int>(rng.integer(3, config.MAX_M));
    int least = 3;
    while (least * (least - 1) / 2 < problem.M) ++least;
    problem.N = static_cast<int>(rng.integer(least, std::min(problem.M + 1, kMostVertices)));
    problem.T = random_integer(1, BigInt(1) << problem.N, rng);
    problem.edges = connected_graph(problem.N, problem.M, rng);
    problem.reference_answer = count_walks(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = check_edges(problem.N, problem.edges, EdgeKind::kUndirected); !sound) {
      return sound;
    }
    if (problem.edges.size() != static_cast<std::size_t>(problem.M)) {
      return failure("\"edges\": expected \"M\" = {} edges, found {}", problem.M,
                     problem.edges.size());
    }
    if (Status fits = within("N", problem.N, 2, kMostVertices); !fits) return fits;
    if (problem.T < 1 || msb(problem.T) > kMostVertices) {
      return failure("\"T\": expected 1 to 2^{} steps", kMostVertices);
    }
    if (problem.reference_answer != count_walks(problem)) {
      return failure("\"reference_answer\": {} is not the count", problem.reference_answer);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A simple undirected graph has {} vertices, 0 to {}, and these edges, one per line:\n"
        "{}\n"
        "Count the walks from vertex 0 to vertex {} that take exactly {} steps, each along an "
        "edge, and never take the same edge twice in a row (which would go straight back). Apart "
        "from that, vertices and edges may be used again.\n"
        "Answer with the number of such walks modulo {}, an integer from 0 to {}.",
        problem.N, problem.N - 1, format_edges(problem.edges), problem.N - 1, problem.T.str(),
        kModulus, kModulus - 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer < 0 || answer >= kModulus) return kInvalidReward;
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, kModulus - 1); }

 private:
  // A random order of the vertices as a path, and random further edges.
  static std::vector<Edge> connected_graph(int n, int m, Rng& rng) {
    const std::vector<int> path = rng.permutation(n);
    WeightTable taken(n);
    std::vector<Edge> edges;
    const auto add = [&](int u, int v) {
      if (taken(u, v) != 0) return;
      taken.set(u, v, 1);
      taken.set(v, u, 1);
      edges.emplace_back(std::min(u, v), std::max(u, v));
    };
    for (int i = 0; i + 1 < n; ++i) add(path[i], path[i + 1]);
    while (edges.size() < static_cast<std::size_t>(m)) {
      const int u = static_cast<int>(rng.below(n));
      const int v = static_cast<int>(rng.below(n));
      if (u != v) add(u, v);
    }
    rng.shuffle(edges);
    return edges;
  }

  // Row t of walks by their last vertex is w(t) = w(t−1) A − w(t−2) (D − 1), A the adjacency and D
  // the degrees: of the walks one step longer those are taken away that go back, and they are as
  // many as the last vertex but one has other neighbours. The first two rows differ: w(1) = w(0) A,
  // w(2) = w(1) A − w(0) D.
  static int count_walks(const Problem& problem) {
    const int n = problem.N;
    std::vector<int> degree(n);
    ModularMatrix step(2 * n, kModulus);  // (w(t−1), w(t−2)) → (w(t), w(t−1))
    for (const auto& [u, v] : problem.edges) {
      step.set(u, v, 1);
      step.set(v, u, 1);
      ++degree[u];
      ++degree[v];
    }
    std::vector<std::uint32_t> rows(2 * n);
    for (int v = 0; v < n; ++v) rows[v] = step(0, v);
    if (problem.T == 1) return static_cast<int>(rows[n - 1]);
    for (int v = 0; v < n; ++v) {
      step.set(v, n + v, 1);
      step.set(n + v, v, 1 - degree[v]);
    }
    // With w(0) as the row before the first, one step gives w(1) A − w(0) (D − 1); w(0) too much.
    rows[n] = 1;
    rows = step.apply_power(std::move(rows), 1);
    rows[0] = (rows[0] + kModulus - 1) % kModulus;
    return static_cast<int>(step.apply_power(std::move(rows), problem.T - 2)[n - 1]);
  }
};
REDQUEEN_ENVIRONMENT(Path_NoGoingBack_Counting);

}  // namespace
}  // namespace redqueen
