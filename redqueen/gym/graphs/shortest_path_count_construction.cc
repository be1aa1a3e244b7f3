#include <algorithm>
#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct ShortestPathCountConstruction {
  static constexpr Card card{
      .name = "ShortestPathCountConstruction",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kOther,
      .scoring = Scoring::kCloseness,
      .task =
          "Construct a graph of few vertices in which the number of shortest paths between two "
          "vertices is a given one.",
      .levels =
          "Up to 12 paths, half as many again a level. Beyond level 75 numbers of paths would no "
          "longer fit 64 bits.",
      .rewards =
          "-1 malformed, -0.5 as many vertices as the bound or more, else (smaller / larger)^10 of "
          "the number of shortest paths and the one wanted.",
      .differences =
          "Every problem bounds the number of vertices, by about that of the smallest graph that "
          "digits of the number make; in published problems of fewer than 12 paths nothing did, so "
          "that one vertex for each path was enough. At least half as many paths are wanted as the "
          "level allows.",
      .slow_reason = SlowReason::kMoreWork,
      .max_level = 75,
  };

  static constexpr std::int64_t kMostPaths = std::int64_t{1} << 50;
  static constexpr std::int64_t kManyPaths = std::int64_t{1} << 61;  // counts stop here
  static constexpr int kSpare = 2;  // vertices allowed beyond those of our own graph

  struct Config {
    std::int64_t MAX_K = 0;
    REDQUEEN_FIELDS(MAX_K)
  };
  struct Problem {
    std::int64_t K = 0;
    std::optional<std::int64_t> N_constraint;  // there are fewer vertices than this
    REDQUEEN_FIELDS(K, N_constraint)
  };
  // Row v holds a letter for each vertex: Y where there is an edge, N where there is none.
  using Answer = std::vector<std::string>;

  static Config at_level(int level, Rng&) { return {.MAX_K = grow_by_half(12, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.K = draw_upper_half(6, config.MAX_K, rng), .N_constraint = {}};
    const std::int64_t enough = smallest_design(problem.K).vertices;
    problem.N_constraint = std::min(problem.K + 2, enough + 1 + rng.integer(0, kSpare));
    return problem;
  }

  // From 12 paths on, the vertices are bounded by about six for each binary digit of their number.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.K = rng.integer(3, config.MAX_K), .N_constraint = {}};
    if (problem.K >= 12) {
      const std::int64_t digits = std::bit_width(static_cast<std::uint64_t>(problem.K));
      problem.N_constraint = std::min(2 * (3 * digits + 2), problem.K + 2);
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("K", problem.K, 1, kMostPaths));
    if (!problem.N_constraint) return {};
    return within("N_constraint", *problem.N_constraint, smallest_design(problem.K).vertices + 1,
                  2 * kMostPaths);
  }

  static std::string prompt(const Problem& problem) {
    const std::string bound =
        problem.N_constraint ? fmt::format("N has to be smaller than {}.", *problem.N_constraint)
                             : std::string("Try to do with fewer vertices than one for each path.");
    return fmt::format(
        "Construct a graph with vertices 1 to N, where you choose N, at least 2. Its edges have no "
        "direction; no edge joins a vertex to itself, and no two edges join the same vertices. "
        "There has to be a path from vertex 1 to vertex 2, and among all paths between them there "
        "have to be exactly {} that have the fewest edges. {}\n"
        "Answer with N on the first line and the matrix of the graph on the N lines after it: N "
        "letters each, without anything between them, the j-th letter of line i being Y if an edge "
        "joins the vertices i and j, and N if none does.",
        problem.K, bound);
  }

  static std::optional<Answer> parse(std::string_view text) {
    text = trim(text);
    const std::size_t first = std::min(text.find('\n'), text.size());
    const auto size = parse_int64(text.substr(0, first));
    if (!size || *size < 2) return std::nullopt;
    text.remove_prefix(std::min(first + 1, text.size()));
    const auto n = static_cast<std::uint64_t>(*size);
    if (n > text.size() || text.size() != n * n + n - 1) return std::nullopt;
    Answer rows;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t begin = i * (n + 1);
      if (i > 0 && text[begin - 1] != '\n') return std::nullopt;
      rows.emplace_back(text.substr(begin, n));
      for (std::size_t k = 0; k <= i; ++k) {
        const char letter = rows[i][k];
        if (letter != 'N' && (letter != 'Y' || k == i)) return std::nullopt;
        if (k < i && rows[k][i] != letter) return std::nullopt;
      }
    }
    return rows;
  }

  static std::string format(const Answer& rows) {
    return fmt::format("{}\n{}", rows.size(), fmt::join(rows, "\n"));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (problem.N_constraint && std::ssize(answer) >= *problem.N_constraint) return kInvalidReward;
    return closeness_reward(shortest_paths(answer), problem.K);
  }

  static Answer solve(const Problem& problem) { return smallest(problem.K); }

  // A vertex between the two ends for each of about as many paths as fit.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::int64_t most =
        std::min<std::int64_t>(problem.K, problem.N_constraint.value_or(problem.K) - 3);
    return side_by_side(rng.integer(1, std::clamp<std::int64_t>(most, 1, 200)));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t shown = std::min<std::int64_t>(problem.K, 100);
    std::int64_t power = 1;
    while (2 * power <= problem.K) power *= 2;
    const std::int64_t fitting = problem.N_constraint.value_or(shown + 3) - 3;
    return {{"a vertex for each path", format(side_by_side(shown))},
            {"as many vertices side by side as fit",
             format(side_by_side(std::clamp<std::int64_t>(fitting, 1, 200)))},
            {"the power of two below", format(of_digits(power))},
            {"the power of two above", format(of_digits(2 * power))}};
  }

 private:
  // The least of 2^61 and the number of shortest paths between the first two vertices.
  static std::int64_t shortest_paths(const Answer& rows) {
    std::vector<int> distance(rows.size(), -1);
    std::vector<std::int64_t> paths(rows.size());
    std::vector<std::size_t> queue{0};
    distance[0] = 0;
    paths[0] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::size_t u = queue[i];
      for (std::size_t v = 0; v < rows.size(); ++v) {
        if (rows[u][v] != 'Y') continue;
        if (distance[v] < 0) {
          distance[v] = distance[u] + 1;
          queue.push_back(v);
        }
        if (distance[v] == distance[u] + 1) paths[v] = std::min(kManyPaths, paths[v] + paths[u]);
      }
    }
    return paths[1];
  }

  static Answer from_edges(int n, const std::vector<Edge>& edges) {
    Answer rows(static_cast<std::size_t>(n), std::string(static_cast<std::size_t>(n), 'N'));
    for (const auto& [u, v] : edges) rows[u][v] = rows[v][u] = 'Y';
    return rows;
  }

  static Answer side_by_side(std::int64_t paths) {
    std::vector<Edge> edges;
    for (int v = 2; v < paths + 2; ++v) edges.insert(edges.end(), {{0, v}, {v, 1}});
    return from_edges(static_cast<int>(paths) + 2, edges);
  }

  // Two layers: `wide` vertices beside vertex 1, and beside vertex 2 others, each joined to as many
  // of them as paths are still wanted.
  static Answer of_two_layers(int paths, int wide) {
    std::vector<Edge> edges;
    for (int v = 0; v < wide; ++v) edges.emplace_back(0, 2 + v);
    int n = 2 + wide;
    for (; paths > 0; paths -= wide, ++n) {
      edges.emplace_back(1, n);
      for (int v = 0; v < std::min(wide, paths); ++v) edges.emplace_back(2 + v, n);
    }
    return from_edges(n, edges);
  }

  // Layers of two vertices each, all joined to both of the layer before, so that there are 1, 2,
  // 4 … paths to them. Beside them a chain to vertex 2 whose vertices are joined to such a layer
  // for each binary digit that is 1.
  static Answer of_digits(std::int64_t paths) {
    std::vector<Edge> edges;
    std::vector<int> layer{0};
    int chain = -1;
    int n = 2;
    for (; paths > 0; paths /= 2) {
      const bool last = paths == 1;
      std::vector<int> next;
      while (std::ssize(next) < (last ? 1 : 2)) next.push_back(n++);
      for (const int v : next) {
        for (const int u : layer) edges.emplace_back(u, v);
      }
      // The vertex of the chain that comes after this layer.
      if (paths % 2 == 1 || chain >= 0) {
        const int link = last ? 1 : n++;
        if (chain >= 0) edges.emplace_back(chain, link);
        if (paths % 2 == 1) edges.emplace_back(next[0], link);
        chain = link;
      }
      layer = std::move(next);
    }
    return from_edges(n, edges);
  }

  // How many vertices of_digits(paths) has.
  static std::int64_t vertices_of_digits(std::int64_t paths) {
    std::int64_t vertices = 2;
    bool has_chain = false;
    for (; paths > 1; paths /= 2) {
      has_chain |= paths % 2 == 1;
      vertices += has_chain ? 3 : 2;
    }
    return vertices + 1;
  }

  struct Design {
    std::int64_t vertices;
    int wide;  // of two layers; 0: of digits
  };

  static Design smallest_design(std::int64_t paths) {
    Design best{vertices_of_digits(paths), 0};
    for (int wide = 1; paths <= 400 && wide * wide <= paths + wide; ++wide) {
      const std::int64_t vertices = 2 + wide + (paths + wide - 1) / wide;
      if (vertices < best.vertices) best = {vertices, wide};
    }
    return best;
  }

  static Answer smallest(std::int64_t paths) {
    const int wide = smallest_design(paths).wide;
    return wide == 0 ? of_digits(paths) : of_two_layers(static_cast<int>(paths), wide);
  }
};
REDQUEEN_ENVIRONMENT(ShortestPathCountConstruction);

}  // namespace
}  // namespace redqueen
