#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/sample.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct ImpParty {
  static constexpr Card card{
      .name = "ImpParty",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kQuality,
      .task =
          "Two thirds of the vertices of a graph are joined to each other, all of them. Find a "
          "third "
          "of the vertices of which that is true.",
      .levels =
          "From 9 vertices, three more a level. The number of edges grows with the square of that "
          "of "
          "the vertices; beyond level 35 they would be too many to read.",
      .rewards =
          "-1 malformed, -0.5 a wrong number of vertices or one that does not exist or comes "
          "twice, "
          "else (pairs that are joined / pairs)^5.",
      .differences =
          "The vertices outside the planted ones have edges between them, too, and some of them "
          "have "
          "more edges than planted ones. From 15 vertices on, a problem is drawn again that is "
          "solved by the first or the last vertices, by those with most edges, or by a vertex and "
          "those that "
          "it "
          "is joined to.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Two thirds of the vertices are planted, so that up to level 3, among 18, many choices "
          "are right.",
      .guess_until_level = 3,
      .source = "Polish Olympiad in Informatics XVIII, stage 3: Party",
      .max_level = 35,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewGuests = 5;
  static constexpr int kSomeGuests = 7;
  static constexpr int kDraws = 400;
  static constexpr int kMostGuests = 60;  // N
  static constexpr int kBudget = 20'000;  // nodes of the search that confirms a statement

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
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& problem) {
          if (config.N < kFewGuests) return true;
          const Table joined(problem);
          return !some_rule_is_best<ImpParty>(
              problem, [&](const Answer& guests) { return all_joined(joined, guests); });
        });
  }

  // Two thirds of the vertices are all joined, the others only to these, by any number of edges.
  static Problem published(const Config& config, Rng& rng) {
    const int planted = 2 * config.N;
    const std::vector<int> order = rng.permutation(3 * config.N);  // the planted ones first
    Problem problem{.N = config.N, .edges = {}};
    std::vector<Edge> outwards;
    for (int i = 0; i < planted; ++i) {
      for (int k = 0; k < i; ++k) problem.edges.emplace_back(order[k], order[i]);
      for (int k = planted; k < 3 * config.N; ++k) outwards.emplace_back(order[i], order[k]);
    }
    keep_sample(outwards, static_cast<std::size_t>(rng.below(outwards.size() + 1)), rng);
    problem.edges.insert(problem.edges.end(), outwards.begin(), outwards.end());
    disguise_edges(problem.edges, rng);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostGuests));
    RETURN_IF_ERROR(check_edges(3 * problem.N, problem.edges, EdgeKind::kUndirected));
    int budget = kBudget;
    const Table joined(problem);
    std::vector<char> removed(static_cast<std::size_t>(3 * problem.N));
    if (!clique_is_left(joined, removed, problem.N, budget)) {
      return failure("\"edges\": no {} of the vertices are found that are all joined",
                     2 * problem.N);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A graph has {} vertices, 0 to {}. Each of these lines gives an edge by its two ends:\n"
        "{}\n"
        "Somewhere in it are {} vertices any two of which are joined by an edge. Find {} vertices "
        "any two of which are joined by an edge; any such vertices will do.\n"
        "Answer with the {} vertices in any order on one line, separated by spaces.",
        3 * problem.N, 3 * problem.N - 1, format_edges(problem.edges), 2 * problem.N, problem.N,
        problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    std::vector<char> chosen(static_cast<std::size_t>(3 * problem.N));
    for (const std::int64_t v : answer) {
      if (v < 0 || v >= 3 * problem.N || std::exchange(chosen[v], 1) != 0) return kInvalidReward;
    }
    std::int64_t pairs = 0;
    for (const auto& [u, v] : problem.edges) pairs += chosen[u] != 0 && chosen[v] != 0;
    return share_reward(pairs, std::int64_t{problem.N} * (problem.N - 1) / 2, kBeta);
  }

  // Two vertices without an edge leave together, again and again. One of each two at least was
  // outside the hidden ones, so that no more than a third of all leave from these.
  static Answer solve(const Problem& problem) {
    const Table joined(problem);
    Answer left;  // no two of them without an edge
    for (int v = 0; v < 3 * problem.N; ++v) {
      const auto apart = std::ranges::find_if(
          left, [&](std::int64_t u) { return !joined(static_cast<int>(u), v); });
      if (apart == left.end()) {
        left.push_back(v);
      } else {
        left.erase(apart);
      }
    }
    left.resize(problem.N);
    return left;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(0, 3 * problem.N - 1, static_cast<std::size_t>(problem.N));
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    Answer by_label(static_cast<std::size_t>(3 * problem.N));
    std::iota(by_label.begin(), by_label.end(), 0);
    const auto first = [&](const Answer& order) {
      return Answer(order.begin(), order.begin() + problem.N);
    };
    if (visit("the first vertices", first(by_label)) ||
        visit("the last vertices", Answer(by_label.rbegin(), by_label.rbegin() + problem.N))) {
      return true;
    }
    std::vector<int> degree(by_label.size());
    for (const auto& [u, v] : problem.edges) {
      ++degree[u];
      ++degree[v];
    }
    Answer order = by_label;
    std::ranges::stable_sort(order, std::greater(), [&](std::int64_t v) { return degree[v]; });
    if (visit("the vertices with most edges", first(order))) return true;
    const Table joined(problem);
    order = by_label;
    std::ranges::stable_partition(
        order, [&](std::int64_t v) { return v == 0 || joined(0, static_cast<int>(v)); });
    return visit("vertex 0 and the first that it is joined to", first(order));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<ImpParty>(problem));
  }

 private:
  class Table {
   public:
    explicit Table(const Problem& problem)
        : n_(3 * problem.N), joined_(static_cast<std::size_t>(n_) * n_) {
      for (const auto& [u, v] : problem.edges) joined_[at(u, v)] = joined_[at(v, u)] = 1;
    }
    int size() const { return n_; }
    bool operator()(int u, int v) const { return joined_[at(u, v)] != 0; }

   private:
    std::size_t at(int u, int v) const { return static_cast<std::size_t>(u) * n_ + v; }

    int n_;
    std::vector<char> joined_;  // n × n
  };

  static bool all_joined(const Table& joined, const Answer& guests) {
    for (std::size_t i = 1; i < guests.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (!joined(static_cast<int>(guests[i]), static_cast<int>(guests[k]))) return false;
      }
    }
    return true;
  }

  // Whether at most `spare` further vertices can be removed so that all left are joined. The vertex
  // with most others apart from it goes, or all these do. False also when the budget is used up.
  static bool clique_is_left(const Table& joined, std::vector<char>& removed, int spare,
                             int& budget) {
    if (--budget < 0) return false;
    int worst = -1;
    int most = 0;
    for (int v = 0; v < joined.size(); ++v) {
      if (removed[v] != 0) continue;
      int apart = 0;
      for (int u = 0; u < joined.size(); ++u) {
        apart += u != v && removed[u] == 0 && !joined(u, v);
      }
      if (apart <= most) continue;
      most = apart;
      worst = v;
    }
    if (worst < 0) return true;
    if (spare == 0) return false;
    removed[worst] = 1;
    if (clique_is_left(joined, removed, spare - 1, budget)) return true;
    removed[worst] = 0;
    if (most > spare) return false;
    std::vector<int> others;
    for (int u = 0; u < joined.size(); ++u) {
      if (u != worst && removed[u] == 0 && !joined(u, worst)) others.push_back(u);
    }
    for (const int u : others) removed[u] = 1;
    const bool left = clique_is_left(joined, removed, spare - most, budget);
    for (const int u : others) removed[u] = 0;
    return left;
  }

  // Of the vertices outside, some have edges to most planted ones, and others to few; with the
  // edges between these kinds, the first have about as many as planted vertices. Few are joined to
  // each other.
  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::vector<int> order = rng.permutation(3 * n);  // the planted ones first
    const int weak = 2 * n + std::max(2, static_cast<int>(rng.real(0.25, 0.45) * n));
    const double near = n < kFewGuests    ? rng.real(0.05, 0.25)
                        : n < kSomeGuests ? rng.real(0.3, 0.65)
                                          : rng.real(0.8, 0.97);
    const double far = n < kFewGuests ? rng.real(0.05, 0.2) : rng.real(0.1, 0.3);
    const double outside = rng.real(0.6, 0.95);
    Problem problem{.N = n, .edges = {}};
    for (int i = 0; i < 3 * n; ++i) {
      for (int k = 0; k < i; ++k) {
        double chance = outside;
        if (i < 2 * n)
          chance = 1.0;
        else if (k < 2 * n)
          chance = i < weak ? near : far;
        else if (i < weak)
          chance = 0.15;
        if (rng.chance(chance)) problem.edges.emplace_back(order[k], order[i]);
      }
    }
    disguise_edges(problem.edges, rng);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(ImpParty);

}  // namespace
}  // namespace redqueen
