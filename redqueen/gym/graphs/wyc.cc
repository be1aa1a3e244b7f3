#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct WYC : StoredCount<1> {
  static constexpr Card card{
      .name = "WYC",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "All walks in a directed graph with weights of 1 to 3 are sorted by weight. Say how "
          "heavy "
          "the K-th one is.",
      .levels =
          "K up to 5, twice as much a level; 3 to 5 vertices, one more every three levels up to 6 "
          "to "
          "8. Beyond level 45 K would no longer "
          "fit "
          "64 bits.",
      .rewards = "-1 malformed or below 1, else (smaller / larger)^10 of answer and right answer.",
      .differences =
          "No edge comes twice with the same weight. K is at least half of what the level allows. "
          "Graphs are sparse, and problems are spread so that rare answers come as often as "
          "frequent ones. From 20 walks on, a problem is drawn again that is solved by K, its "
          "logarithm, its share of the edges, or the K-th lightest edge.",
      .slow_reason = SlowReason::kStricter,
      .source = "Polish Olympiad in Informatics XXIII, stage 3: Hiking trip",
      .max_level = 45,
  };

  static constexpr int kDraws = 24;
  static constexpr std::int64_t kSomeWalks = 20;
  static constexpr std::int64_t kManyWalks = 40;  // with fewer, a graph has few edges
  static constexpr int kMostVertices = 40;
  static constexpr std::int64_t kMostWalks = std::int64_t{1} << 60;
  static constexpr std::int64_t kMostWeight = 20'000;  // of the walk asked for

  struct Config {
    int N = 0;
    std::int64_t MAX_K = 0;
    REDQUEEN_FIELDS(N, MAX_K)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;  // of vertices 1 … N
    std::int64_t K = 0;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, edges, K, reference_answer)
  };

  static Config at_level(int level, Rng& rng) {
    const int least = std::min(6, 3 + level / 3);
    return {.N = static_cast<int>(rng.integer(least, least + 2)), .MAX_K = multiply(5, 2, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<std::int64_t, Problem>> {
      Problem problem = drawn(config, rng);
      const auto weight = weight_of_walk(problem);
      if (!weight || *weight < 2) return std::nullopt;
      problem.reference_answer = *weight;
      if (config.MAX_K >= kSomeWalks && some_rule_solves<WYC>(problem)) return std::nullopt;
      return std::pair(*weight, std::move(problem));
    });
  }

  static Config published_level(int level, Rng& rng) {
    return {.N = static_cast<int>(rng.integer(2, 8)), .MAX_K = multiply(5, 2, level)};
  }

  // Any edges, which may come twice. A graph without enough walks is drawn again, and so is one
  // whose walk weighs more than kMostWeight.
  static Problem published(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.N = config.N, .edges = {}, .K = 0, .reference_answer = 0};
      for (std::int64_t i = rng.integer(1, config.N * (config.N - 1)); i > 0; --i) {
        const auto from = static_cast<int>(rng.integer(1, config.N));
        auto to = static_cast<int>(rng.integer(1, config.N - 1));
        if (to >= from) ++to;
        problem.edges.emplace_back(from, to, rng.integer(1, 3));
      }
      problem.K = rng.integer(1, config.MAX_K);
      const auto weight = weight_of_walk(problem);
      if (!weight) return std::nullopt;
      problem.reference_answer = *weight;
      return problem;
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(within("edges", std::ssize(problem.edges), 1, 2000));
    for (const auto& [from, to, weight] : problem.edges) {
      RETURN_IF_ERROR(within("edges", std::min(from, to), 1, problem.N));
      RETURN_IF_ERROR(within("edges", std::max(from, to), 1, problem.N));
      RETURN_IF_ERROR(within("edges", weight, 1, 3));
      if (from == to) return failure("\"edges\": an edge from {} to itself", from);
    }
    RETURN_IF_ERROR(within("K", problem.K, 1, kMostWalks));
    const auto weight = weight_of_walk(problem);
    if (!weight) return failure("\"K\": there are not so many walks of up to {}", kMostWeight);
    return reference_is("reference_answer", problem.reference_answer, BigInt(*weight));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A directed graph has {0} vertices, 1 to {0}. Each of these lines \"s t w\" is an edge of "
        "its own from s to t of weight w:\n"
        "{1}\n"
        "A walk is a sequence of one or more edges, each of which begins where the one before "
        "ends; it may begin and end anywhere, and use vertices and edges more than once. Two walks "
        "are different if their sequences of edges are. The weight of a walk is the sum of the "
        "weights of its edges, each counted as often as it is used.\n"
        "All walks are sorted by weight, light ones first. Answer with the weight of walk number "
        "{2}, counted from 1: one integer.",
        problem.N, format_edges(problem.edges), problem.K);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::int64_t sum = 0;
    std::int64_t doublings = 0;
    for (const auto& [from, to, weight] : problem.edges) sum += weight;
    for (std::int64_t k = problem.K; k > 1; k /= 2) ++doublings;
    const std::int64_t edges = std::ssize(problem.edges);
    const std::int64_t rounds = (problem.K + edges - 1) / edges;
    return {{"K divided by the number of edges, rounded up, times the mean weight",
             Answer(rounds * std::max<std::int64_t>(1, sum / edges))},
            {"the binary logarithm of K", Answer(std::max<std::int64_t>(1, doublings))},
            {"K", Answer(problem.K)},
            {"the K-th lightest edge, or the heaviest", Answer(by_edges(problem))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::int64_t by_edges(const Problem& problem) {
    std::vector<std::int64_t> weights;
    for (const auto& [from, to, weight] : problem.edges) weights.push_back(weight);
    std::ranges::sort(weights);
    return weights[std::min(std::ssize(weights), static_cast<std::ptrdiff_t>(problem.K)) - 1];
  }

  // ends[w % 4][v]: how many walks of weight w end at v, the empty ones of weight 0 among them, no
  // more than K. nullopt: fewer than K walks weigh up to kMostWeight.
  static std::optional<std::int64_t> weight_of_walk(const Problem& problem) {
    std::array<std::vector<std::int64_t>, 4> ends;
    for (auto& row : ends) row.assign(static_cast<std::size_t>(problem.N) + 1, 0);
    std::ranges::fill(ends[0], 1);
    std::int64_t walks = 0;
    int idle = 0;  // weights in a row that no walk has
    for (std::int64_t weight = 1; weight <= kMostWeight && idle < 3; ++weight) {
      auto& now = ends[weight % 4];
      std::ranges::fill(now, 0);
      for (const auto& [from, to, w] : problem.edges) {
        if (w > weight) continue;
        now[to] = std::min(problem.K, now[to] + ends[(weight - w) % 4][from]);
      }
      std::int64_t here = 0;
      for (int v = 1; v <= problem.N; ++v) here = std::min(problem.K, here + now[v]);
      walks = std::min(problem.K, walks + here);
      if (walks >= problem.K) return weight;
      idle = here > 0 ? 0 : idle + 1;
    }
    return std::nullopt;
  }

  // A circle or two and further edges, in all hardly more than vertices.
  static Problem drawn(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .edges = {},
                    .K = draw_upper_half(2, config.MAX_K, rng),
                    .reference_answer = 0};
    const double heavy = rng.real(0.0, 0.8);
    const auto add = [&](int from, int to) {
      if (from == to) return;
      const WeightedEdge edge(from, to, rng.chance(heavy) ? 3 : rng.integer(1, 3));
      if (std::ranges::find(problem.edges, edge) == problem.edges.end()) {
        problem.edges.push_back(edge);
      }
    };
    const std::vector<int> order = rng.permutation(config.N);
    const bool few = config.MAX_K < kManyWalks;
    const auto circle = static_cast<int>(rng.integer(2, few ? 3 : config.N));
    for (int i = 0; i < circle; ++i) add(order[i] + 1, order[(i + 1) % circle] + 1);
    const std::int64_t count = few ? circle + rng.integer(0, 2) : config.N + rng.integer(1, 3);
    for (int tries = 0; tries < 100 && std::ssize(problem.edges) < count; ++tries) {
      add(static_cast<int>(rng.integer(1, config.N)), static_cast<int>(rng.integer(1, config.N)));
    }
    rng.shuffle(problem.edges);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(WYC);

}  // namespace
}  // namespace redqueen
