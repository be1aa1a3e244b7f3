#include <algorithm>
#include <array>
#include <bitset>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct PowerShortcut {
  static constexpr Card card{
      .name = "PowerShortcut",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "In a directed graph, a jump takes a walk whose number of edges is a power of two. Get "
          "from the first vertex to the last with as few jumps as possible.",
      .levels =
          "From 4 vertices, a tenth more and one a level, with a third as many edges again as a "
          "path "
          "through all vertices has or more. Beyond level 30 the list of edges would be too long "
          "to read.",
      .rewards =
          "-1 malformed or empty, -0.5 a vertex that does not exist, wrong ends or a step that is "
          "no jump, else (fewest vertices / vertices)^5.",
      .differences =
          "Published graphs up to 32 vertices were a bare path; here further edges lead back or "
          "skip a vertex, whatever the density says. The longest jump is 4 or 8 edges, never 2. "
          "From 6 vertices on, two jumps or more are needed; from 9 on, a problem is drawn again "
          "that is "
          "solved by cutting a shortest path into the longest jumps, or by its edges alone.",
      .small_answer_space =
          "Among fewer than 9 vertices, up to level 4, a shortest path cut into the longest "
          "jumps is nearly always best.",
      .guess_until_level = 4,
      .max_level = 30,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kDensities{0.01, 0.02, 0.03};
  static constexpr int kFewVertices = 6;
  static constexpr int kSomeVertices = 9;
  static constexpr int kDraws = 400;
  static constexpr int kMostVertices = 256;
  static constexpr int kMostDoublings = 60;

  struct Config {
    int N = 0;
    int K = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, K, edge_density)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<Edge> edges;
    int gold_answer = 0;  // vertices of a best sequence
    REDQUEEN_FIELDS(N, K, edges, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    return {.N = grow_by_tenth(4, level),
            .K = static_cast<int>(rng.integer(2, 3)),
            .edge_density = rng.choice(kDensities)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](Problem& problem) {
          const Answer best = fewest(problem.N, jumps_of(problem));
          problem.gold_answer = static_cast<int>(best.size());
          return config.N < kFewVertices ||
                 (best.size() > 2 &&
                  (config.N < kSomeVertices || !some_rule_solves<PowerShortcut>(problem)));
        });
  }

  static Config published_level(int level, Rng& rng) {
    return {.N = grow_by_tenth(4, level),
            .K = static_cast<int>(rng.integer(1, 3)),
            .edge_density = rng.choice(kDensities)};
  }

  // A path from the first vertex through all others to the last one, and further edges, uniformly
  // drawn, where the density is more than that of the path.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    std::vector<int> order{0};
    for (const int v : rng.permutation(n - 2)) order.push_back(v + 1);
    order.push_back(n - 1);
    Problem problem{.N = n,
                    .K = config.K,
                    .edges = edges_on_path(
                        order, static_cast<std::size_t>(config.edge_density * n * (n - 1)), rng),
                    .gold_answer = 0};
    rng.shuffle(problem.edges);
    problem.gold_answer = static_cast<int>(fewest(n, jumps_of(problem)).size());
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(within("K", problem.K, 0, kMostDoublings));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kDirected));
    const Answer best = fewest(problem.N, jumps_of(problem));
    if (best.empty()) return failure("\"edges\": no way leads to the last vertex");
    return within("gold_answer", problem.gold_answer, std::ssize(best), std::ssize(best));
  }

  static std::string prompt(const Problem& problem) {
    std::string powers;
    for (int k = 0; k <= problem.K; ++k) {
      powers += fmt::format("{}{}",
                            k == 0           ? ""
                            : k == problem.K ? " or "
                                             : ", ",
                            std::int64_t{1} << k);
    }
    return fmt::format(
        "A directed graph has {0} vertices, 0 to {1}. Each of these lines \"s t\" gives an edge "
        "from s to t:\n"
        "{2}\n"
        "A jump leads from a vertex u to a vertex v if there is a walk of exactly {3} edges from u "
        "to v along their directions; a walk may use vertices and edges more than once. Find a "
        "sequence of vertices from 0 to {1}, each of which is reached from the one before by a "
        "jump, with as few vertices as possible.\n"
        "Answer with the vertices of the sequence in order on one line, 0 and {1} included, "
        "separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), powers);
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto path = parse_int_list(text);
    if (path && path->empty()) path.reset();
    return path;
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.front() != 0 || answer.back() != problem.N - 1) return kInvalidReward;
    const Relation jumps = jumps_of(problem);
    for (std::size_t i = 0; i < answer.size(); ++i) {
      if (answer[i] < 0 || answer[i] >= problem.N) return kInvalidReward;
      if (i > 0 && !jumps[answer[i - 1]][answer[i]]) return kInvalidReward;
    }
    return minimise_reward<std::int64_t>(std::ssize(answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return fewest(problem.N, jumps_of(problem)); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer sequence{0};
    for (std::int64_t more = rng.integer(0, 3); more > 0; --more) {
      sequence.push_back(rng.integer(0, problem.N - 1));
    }
    sequence.push_back(problem.N - 1);
    return sequence;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Relation steps(static_cast<std::size_t>(problem.N));
    for (const auto& [from, to] : problem.edges) steps[from].set(to);
    const Answer path = fewest(problem.N, steps);
    Answer cut{0};
    for (std::size_t at = 0; at + 1 < path.size();) {
      std::size_t jump = std::size_t{1} << problem.K;
      while (at + jump >= path.size()) jump /= 2;
      at += jump;
      cut.push_back(path[at]);
    }
    return {{"the edges of a shortest path", path},
            {"a shortest path, cut into the longest jumps", cut},
            {"the two ends", Answer{0, problem.N - 1}}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  using Relation = std::vector<std::bitset<kMostVertices>>;  // of each vertex: those it leads to

  static Relation jumps_of(const Problem& problem) {
    Relation walks(static_cast<std::size_t>(problem.N));  // of exactly 2^k edges
    for (const auto& [from, to] : problem.edges) walks[from].set(to);
    Relation jumps = walks;
    for (int k = 1; k <= problem.K; ++k) {
      Relation twice(walks.size());
      for (int u = 0; u < problem.N; ++u) {
        for (int v = 0; v < problem.N; ++v) {
          if (walks[u][v]) twice[u] |= walks[v];
        }
      }
      walks = std::move(twice);
      for (std::size_t u = 0; u < jumps.size(); ++u) jumps[u] |= walks[u];
    }
    return jumps;
  }

  // The vertices of a shortest way from the first to the last; empty: there is none.
  static Answer fewest(int n, const Relation& leads_to) {
    std::vector<int> before(leads_to.size(), -1);
    std::vector<int> queue{0};
    before[0] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (int v = 0; v < n; ++v) {
        if (before[v] >= 0 || !leads_to[queue[i]][v]) continue;
        before[v] = queue[i];
        queue.push_back(v);
      }
    }
    if (before[n - 1] < 0) return {};
    Answer path{n - 1};
    while (path.back() != 0) path.push_back(before[path.back()]);
    std::ranges::reverse(path);
    return path;
  }

  // A path through all vertices, and edges that lead back on it or skip a vertex.
  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    std::vector<int> order;
    for (const int v : rng.permutation(n - 2)) order.push_back(v + 1);
    order.insert(order.begin(), 0);
    order.push_back(n - 1);
    Problem problem{.N = n, .K = config.K, .edges = edges_on_path(order, 0, rng), .gold_answer = 0};
    WeightTable taken(n, problem.edges);
    const std::int64_t more = rng.integer(std::max(1, n / 3), std::max(2, n / 2));
    for (std::int64_t i = 0; i < more; ++i) {
      const auto from = static_cast<std::size_t>(rng.integer(0, n - 1));
      const auto to = static_cast<std::size_t>(
          rng.integer(0, std::min<std::int64_t>(n - 1, static_cast<std::int64_t>(from) + 2)));
      if (from == to || taken(order[from], order[to]) != 0) continue;
      taken.set(order[from], order[to], 1);
      problem.edges.emplace_back(order[from], order[to]);
    }
    rng.shuffle(problem.edges);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(PowerShortcut);

}  // namespace
}  // namespace redqueen
