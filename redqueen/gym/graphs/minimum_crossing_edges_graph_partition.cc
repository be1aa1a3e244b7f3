#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/colouring.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Minimum_CrossingEdges_GraphPartition {
  static constexpr Card card{
      .name = "Minimum_CrossingEdges_GraphPartition",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Divide the vertices of a graph into K sets, none of them empty, such that as few edges "
          "as possible run between different sets.",
      .levels =
          "From 3 vertices, one more a level; about a quarter to a half of all pairs are joined "
          "where that leaves a choice. Beyond level 20 the fewest edges would take long to find.",
      .rewards =
          "-1 malformed, -0.5 another number of labels than vertices, one out of range or one that "
          "is not used, else (fewest / crossing edges)^5.",
      .differences =
          "Most edges lie within planted sets, and K is their number: in evenly drawn graphs, to "
          "split off single vertices was nearly always best. From 8 vertices on, a problem is "
          "drawn again that is solved by splitting off vertices with few neighbours left, by "
          "blocks of consecutive numbers, or by joining the sets with the most edges between them.",
      .small_answer_space =
          "On up to 7 vertices, at levels 0 to 4, to split off single vertices is nearly always "
          "best.",
      .guess_until_level = 4,
      .source =
          "O. Goldschmidt and D. Hochbaum, A polynomial algorithm for the k-cut problem for fixed "
          "k, 1994",
      .max_level = 20,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewVertices = 8;
  static constexpr int kDraws = 500;
  static constexpr int kMaxN = 24;
  static constexpr int kMostNodes = 200'000;  // of a search

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<Edge> edges;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, K, edges, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 3 + level;
    const int pairs = n * (n - 1) / 2;
    return {
        .N = n,
        .edge_density = draw_density(kUndirectedDensities, n, n - 1, std::max(n, pairs / 2), rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const int count = undirected_edges_at(n, config.edge_density);
    for (int draw = 0; draw < kDraws; ++draw) {
      auto [problem, planted] = drawn(n, count, rng);
      const std::int64_t most = crossing(problem, planted);
      if (n >= kFewVertices && std::ranges::any_of(rules(problem), [&](const auto& rule) {
            return crossing(problem, rule.answer) <= most;
          })) {
        continue;
      }
      problem.gold_answer = Search(problem).fewest;
      if (problem.gold_answer >= 0) return problem;
    }
    throw Retry();
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 3 + level;
    return {.N = n, .edge_density = draw_density(kUndirectedDensities, n, 1, n * n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .K = static_cast<int>(rng.integer(2, n - 1)),
                    .edges = draw_edges(n, undirected_edges_at(n, config.edge_density), rng),
                    .gold_answer = 0};
    problem.gold_answer = Search(problem).fewest;
    if (problem.gold_answer < 0) throw Retry();
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 3, kMaxN));
    RETURN_IF_ERROR(within("K", problem.K, 2, problem.N));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected));
    const std::int64_t fewest = Search(problem).fewest;
    if (fewest >= 0 && fewest == problem.gold_answer) return {};
    return failure("\"gold_answer\": {} is not known to be the fewest", problem.gold_answer);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An undirected graph has {0} vertices, 0 to {1}. Each of these lines gives an edge by its "
        "two ends:\n"
        "{2}\n"
        "Put every vertex into one of {3} sets, numbered 0 to {4}, such that no set is empty and "
        "as few edges as possible have their ends in different sets.\n"
        "Answer with the numbers of the sets of the vertices 0 to {1} in this order, {0} numbers "
        "on one line, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), problem.K, problem.K - 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    VertexSet used = 0;
    for (const std::int64_t set : answer) {
      if (set < 0 || set >= problem.K) return kInvalidReward;
      used |= single(static_cast<int>(set));
    }
    if (used != first_vertices(problem.K)) return kInvalidReward;
    return minimise_reward(crossing(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return Search(problem).best; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::vector<int> sets = draw_classes(problem.N, problem.K, rng);
    return {sets.begin(), sets.end()};
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer blocks;
    Answer singles;
    for (int v = 0; v < problem.N; ++v) {
      blocks.push_back(std::int64_t{v} * problem.K / problem.N);
      singles.push_back(std::min(v, problem.K - 1));
    }
    return {{"splitting off what has the fewest neighbours left", split_off(problem)},
            {"joining the sets with the most edges between them", joined(problem)},
            {"blocks of consecutive numbers", blocks},
            {"the first vertices by themselves", singles}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::int64_t crossing(const Problem& problem, const Answer& sets) {
    std::int64_t count = 0;
    for (const auto& [u, v] : problem.edges) count += sets[u] != sets[v];
    return count;
  }

  // A few edges join planted sets, as far as the others fit into the sets.
  static std::pair<Problem, Answer> drawn(int n, int count, Rng& rng) {
    Problem problem{.N = n,
                    .K = static_cast<int>(rng.integer(2, std::max(2, n / 3))),
                    .edges = {},
                    .gold_answer = 0};
    const std::vector<int> planted = draw_classes(n, problem.K, rng);
    std::vector<Edge> inner;
    std::vector<Edge> outer;
    for (int u = 0; u < n; ++u) {
      for (int v = u + 1; v < n; ++v) {
        (planted[u] == planted[v] ? inner : outer).emplace_back(u, v);
      }
    }
    rng.shuffle(inner);
    rng.shuffle(outer);
    const auto few = static_cast<int>(rng.integer(problem.K - 1, 3 * problem.K));
    const int inside = std::clamp(count - few, std::max(0, count - static_cast<int>(outer.size())),
                                  static_cast<int>(inner.size()));
    problem.edges.assign(inner.begin(), inner.begin() + inside);
    problem.edges.insert(problem.edges.end(), outer.begin(), outer.begin() + (count - inside));
    rng.shuffle(problem.edges);
    return {std::move(problem), Answer(planted.begin(), planted.end())};
  }

  static Answer split_off(const Problem& problem) {
    const NeighbourSets near = neighbour_sets(problem.N, problem.edges);
    VertexSet left = first_vertices(problem.N);
    Answer sets(static_cast<std::size_t>(problem.N));
    for (int set = 1; set < problem.K; ++set) {
      int least = std::countr_zero(left);
      for (VertexSet rest = left; rest != 0; rest &= rest - 1) {
        const int v = std::countr_zero(rest);
        if (std::popcount(near[v] & left) < std::popcount(near[least] & left)) least = v;
      }
      sets[least] = set;
      left &= ~single(least);
    }
    return sets;
  }

  static Answer joined(const Problem& problem) {
    const NeighbourSets near = neighbour_sets(problem.N, problem.edges);
    std::vector<VertexSet> sets;
    for (int v = 0; v < problem.N; ++v) sets.push_back(single(v));
    const auto edges_between = [&](VertexSet a, VertexSet b) {
      int count = 0;
      for (; a != 0; a &= a - 1) count += std::popcount(near[std::countr_zero(a)] & b);
      return count;
    };
    while (std::ssize(sets) > problem.K) {
      std::size_t best_a = 0;
      std::size_t best_b = 1;
      int most = -1;
      for (std::size_t a = 0; a < sets.size(); ++a) {
        for (std::size_t b = a + 1; b < sets.size(); ++b) {
          const int edges = edges_between(sets[a], sets[b]);
          if (edges > most) {
            most = edges;
            best_a = a;
            best_b = b;
          }
        }
      }
      sets[best_a] |= sets[best_b];
      sets.erase(sets.begin() + static_cast<std::ptrdiff_t>(best_b));
    }
    Answer labels(static_cast<std::size_t>(problem.N));
    for (std::size_t set = 0; set < sets.size(); ++set) {
      for (const std::int64_t v : members_of(sets[set])) {
        labels[v] = static_cast<std::int64_t>(set);
      }
    }
    return labels;
  }

  // Branch and bound in an order in which each next vertex has the most neighbours before it. A
  // vertex still to come costs at least its placed neighbours outside the set where it has most of
  // them; one that opens a set costs all of them.
  struct Search {
    NeighbourSets near;
    int sets;
    std::vector<int> order;
    std::array<VertexSet, kMaxN> members{};
    int nodes_left = kMostNodes;
    std::int64_t fewest;  // −1 if the search was given up
    Answer best;

    explicit Search(const Problem& problem)
        : near(neighbour_sets(problem.N, problem.edges)), sets(problem.K) {
      best = split_off(problem);
      fewest = crossing(problem, best);
      if (Answer other = joined(problem); crossing(problem, other) < fewest) {
        fewest = crossing(problem, other);
        best = std::move(other);
      }
      VertexSet placed = 0;
      while (std::ssize(order) < problem.N) {
        int next = -1;
        for (int v = 0; v < problem.N; ++v) {
          if (contains(placed, v)) continue;
          if (next < 0 || urgency(v, placed) > urgency(next, placed)) next = v;
        }
        order.push_back(next);
        placed |= single(next);
      }
      visit(0, 0, 0);
      if (nodes_left == 0) fewest = -1;
    }

    std::pair<int, int> urgency(int v, VertexSet placed) const {
      return {std::popcount(near[v] & placed), std::popcount(near[v])};
    }

    std::int64_t bound(std::size_t place, int open) const {
      std::array<int, kMaxN> openings;  // what it costs more to open a set
      int count = 0;
      std::int64_t bound = 0;
      VertexSet placed = 0;
      for (int set = 0; set < open; ++set) placed |= members[set];
      for (std::size_t i = place; i < order.size(); ++i) {
        int most = 0;
        for (int set = 0; set < open; ++set) {
          most = std::max(most, std::popcount(near[order[i]] & members[set]));
        }
        bound += std::popcount(near[order[i]] & placed) - most;
        openings[count++] = most;
      }
      std::sort(openings.begin(), openings.begin() + count);
      for (int i = 0; i < sets - open; ++i) bound += openings[i];
      return bound;
    }

    void visit(std::size_t place, int open, std::int64_t cost) {
      if (nodes_left == 0) return;
      --nodes_left;
      if (order.size() - place < static_cast<std::size_t>(sets - open)) return;
      if (cost + bound(place, open) >= fewest) return;
      if (place == order.size()) {
        fewest = cost;
        for (int set = 0; set < sets; ++set) {
          for (const std::int64_t v : members_of(members[set])) best[v] = set;
        }
        return;
      }
      const int v = order[place];
      VertexSet placed = 0;
      for (int set = 0; set < open; ++set) placed |= members[set];
      const int all = std::popcount(near[v] & placed);
      for (int set = 0; set < open; ++set) {
        const int own = std::popcount(near[v] & members[set]);
        members[set] |= single(v);
        visit(place + 1, open, cost + all - own);
        members[set] &= ~single(v);
      }
      if (open < sets) {
        members[open] = single(v);
        visit(place + 1, open + 1, cost + all);
        members[open] = 0;
      }
    }
  };
};
REDQUEEN_ENVIRONMENT(Minimum_CrossingEdges_GraphPartition);

}  // namespace
}  // namespace redqueen
