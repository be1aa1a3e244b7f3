#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/sample.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct SpyNetwork {
  static constexpr Card card{
      .name = "SpyNetwork",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose vertices of a directed graph, as cheap as possible together, such that every "
          "vertex is reached from a chosen one.",
      .levels =
          "From 4 vertices, a tenth more and one a level, with six edges for five vertices or "
          "more. "
          "Beyond level 34 the list of edges would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 a vertex that does not exist or comes twice, -0.3 a vertex that is "
          "not reached, else (least cost / cost)^3.",
      .differences =
          "There are at least six edges for five vertices, whatever the density says: published "
          "small graphs had an edge or two. Vertices that nothing else reaches hang together in "
          "circles. From 6 vertices on, a problem is drawn again that is solved by the vertices "
          "without an edge into them, with or without the cheapest others that are missing, or by "
          "cheap vertices first.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 34,
  };

  static constexpr double kBeta = 3.0;
  static constexpr double kUnreachedReward = -0.3;
  static constexpr std::array kDensities{0.01, 0.02, 0.03, 0.05, 0.1, 0.15};
  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 400;
  static constexpr int kMostVertices = 400;

  struct Config {
    int N = 0;
    double edge_density = 0;
    double dominated_probability = 0;
    REDQUEEN_FIELDS(N, edge_density, dominated_probability)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    std::vector<std::int64_t> costs;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edges, costs, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    const auto densities = sparsest(kDensities, 2, least_edges(n), [n](double density) {
      return static_cast<std::int64_t>(edges_at_density(n, density));
    });
    return {.N = n,
            .edge_density = rng.choice(densities),
            .dominated_probability = static_cast<double>(rng.integer(3, 7)) / 10.0};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](Problem& problem) {
          problem.gold_answer = cost_of(problem, solve(problem));
          return config.N < kFewVertices || !some_rule_solves<SpyNetwork>(problem);
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    const auto densities = sparsest(kDensities, kDensities.size(), 1, [n](double density) {
      return static_cast<std::int64_t>(edges_at_density(n, density));
    });
    return {.N = n,
            .edge_density = rng.choice(densities),
            .dominated_probability = static_cast<double>(rng.integer(3, 7)) / 10.0};
  }

  // Each vertex is dominated or not; edges are drawn from all pairs but those that lead from a
  // dominated vertex to one that is not.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    std::vector<char> dominated(static_cast<std::size_t>(n));
    for (char& flag : dominated) flag = rng.chance(config.dominated_probability) ? 1 : 0;
    Problem problem{.N = n, .edges = {}, .costs = {}, .gold_answer = 0};
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        if (from != to && dominated[from] <= dominated[to]) problem.edges.emplace_back(from, to);
      }
    }
    keep_sample(problem.edges, edges_at_density(n, config.edge_density), rng);
    problem.costs = draw_numbers(n, 1, n, rng);
    problem.gold_answer = cost_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kDirected));
    RETURN_IF_ERROR(check_numbers("costs", problem.costs, problem.N, 1, kMaxWeight));
    return reference_is("gold_answer", problem.gold_answer, cost_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A directed graph has {} vertices, 0 to {}. Each of these lines \"s t\" gives an edge from "
        "s to t:\n"
        "{}\n"
        "Choosing a vertex costs:\n"
        "{}\n"
        "Choose different vertices such that every vertex is chosen or can be reached from a "
        "chosen one along edges in their direction, and the sum of the costs of the chosen "
        "vertices is as small as possible.\n"
        "Answer with the chosen vertices in any order on one line, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), with_indices("c", problem.costs));
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> chosen(static_cast<std::size_t>(problem.N));
    for (const std::int64_t v : answer) {
      if (v < 0 || v >= problem.N || std::exchange(chosen[v], 1) != 0) return kInvalidReward;
    }
    const Links links(problem);
    std::vector<char> reached(chosen.size());
    for (const std::int64_t v : answer) links.reach(static_cast<int>(v), reached);
    if (std::ranges::find(reached, 0) != reached.end()) return kUnreachedReward;
    return minimise_reward(cost_of(problem, answer), problem.gold_answer, kBeta);
  }

  // Of each strong component that no edge enters, the cheapest vertex. A search from all vertices
  // in turn starts in each of these; read backwards, they are the starts that no later one reaches.
  // Whatever reaches such a start belongs to its component.
  static Answer solve(const Problem& problem) {
    const Links links(problem);
    std::vector<char> reached(static_cast<std::size_t>(problem.N));
    std::vector<int> starts;
    for (int v = 0; v < problem.N; ++v) {
      if (reached[v] != 0) continue;
      links.reach(v, reached);
      starts.push_back(v);
    }
    std::ranges::fill(reached, 0);
    Answer chosen;
    for (std::size_t i = starts.size(); i-- > 0;) {
      if (reached[starts[i]] != 0) continue;
      links.reach(starts[i], reached);
      std::vector<char> above(reached.size());
      links.reach_back(starts[i], above);
      int cheapest = starts[i];
      for (int v = 0; v < problem.N; ++v) {
        if (above[v] != 0 && problem.costs[v] < problem.costs[cheapest]) cheapest = v;
      }
      chosen.push_back(cheapest);
    }
    return chosen;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_indices(problem.N, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<char> entered(static_cast<std::size_t>(problem.N));
    for (const auto& [from, to] : problem.edges) entered[to] = 1;
    Answer free;
    for (int v = 0; v < problem.N; ++v) {
      if (entered[v] == 0) free.push_back(v);
    }
    std::vector<int> order(entered.size());
    std::iota(order.begin(), order.end(), 0);
    const Answer first = in_order(problem, order, {});
    std::ranges::stable_sort(order, {}, [&](int v) { return problem.costs[v]; });
    return {
        {"the vertices without an edge into them", free},
        {"these, and the cheapest vertices that are not reached", in_order(problem, order, free)},
        {"the cheapest vertex that is not reached, again and again", in_order(problem, order, {})},
        {"the first vertex that is not reached, again and again", first}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    Answer all(problem.costs.size());
    std::iota(all.begin(), all.end(), 0);
    named.push_back({"all vertices", format_answer(all)});
    return named;
  }

 private:
  static std::int64_t least_edges(int n) { return (6 * n + 4) / 5; }

  static std::int64_t cost_of(const Problem& problem, const Answer& answer) {
    std::int64_t cost = 0;
    for (const std::int64_t v : answer) cost += problem.costs[v];
    return cost;
  }

  struct Links {
    std::vector<std::vector<int>> onward;
    std::vector<std::vector<int>> back;

    explicit Links(const Problem& problem) : onward(problem.costs.size()), back(onward.size()) {
      for (const auto& [from, to] : problem.edges) {
        onward[from].push_back(to);
        back[to].push_back(from);
      }
    }

    // Marks the start and what it reaches; what is marked already is not looked at again.
    void reach(int start, std::vector<char>& reached) const { spread(onward, start, reached); }
    void reach_back(int start, std::vector<char>& reached) const { spread(back, start, reached); }

    static void spread(const std::vector<std::vector<int>>& next, int start,
                       std::vector<char>& reached) {
      if (std::exchange(reached[start], 1) != 0) return;
      std::vector<int> stack{start};
      while (!stack.empty()) {
        const int v = stack.back();
        stack.pop_back();
        for (const int w : next[v]) {
          if (std::exchange(reached[w], 1) == 0) stack.push_back(w);
        }
      }
    }
  };

  // Those given, and of the others in order each that is not reached.
  static Answer in_order(const Problem& problem, const std::vector<int>& order, Answer chosen) {
    const Links links(problem);
    std::vector<char> reached(static_cast<std::size_t>(problem.N));
    for (const std::int64_t v : chosen) links.reach(static_cast<int>(v), reached);
    for (const int v : order) {
      if (reached[v] != 0) continue;
      links.reach(v, reached);
      chosen.push_back(v);
    }
    return chosen;
  }

  // Leading vertices in circles of one to three, and dominated ones, most of them with an edge from
  // an earlier vertex. No further edge leads into a circle from outside.
  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::vector<int> order = rng.permutation(n);
    const int leading =
        std::clamp(static_cast<int>(std::lround(n * (1 - config.dominated_probability))), 2, n - 1);
    Problem problem{.N = n, .edges = {}, .costs = draw_numbers(n, 1, n, rng), .gold_answer = 0};
    WeightTable taken(n);
    const auto add = [&](int from, int to) {
      if (from == to || taken(from, to) != 0) return;
      taken.set(from, to, 1);
      problem.edges.emplace_back(from, to);
    };
    std::vector<int> circle(static_cast<std::size_t>(n), -1);  // its first place, of leading ones
    for (int begin = 0; begin < leading;) {
      const int end = std::min(leading, begin + static_cast<int>(rng.integer(1, 3)));
      for (int i = begin; i < end; ++i) {
        circle[order[i]] = begin;
        add(order[i], order[i + 1 < end ? i + 1 : begin]);
      }
      begin = end;
    }
    for (int i = leading; i < n; ++i) {
      if (rng.chance(0.85)) add(order[rng.integer(0, i - 1)], order[i]);
    }
    const std::int64_t count = std::max(
        least_edges(n), static_cast<std::int64_t>(edges_at_density(n, config.edge_density)));
    for (int tries = 0; tries < 20 * n && std::ssize(problem.edges) < count; ++tries) {
      const int from = static_cast<int>(rng.integer(0, n - 1));
      const int to = static_cast<int>(rng.integer(0, n - 1));
      if (circle[to] < 0 || circle[to] == circle[from]) add(from, to);
    }
    rng.shuffle(problem.edges);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(SpyNetwork);

}  // namespace
}  // namespace redqueen
