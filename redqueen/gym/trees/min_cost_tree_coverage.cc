#include <algorithm>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct MinCostTreeCoverage {
  static constexpr Card card{
      .name = "MinCostTreeCoverage",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose vertices of a tree, as cheap as possible together, such that certain vertices "
          "have a chosen one within a given distance.",
      .levels =
          "From 3 vertices, a tenth and one more a level. Beyond level 50, the list of edges would "
          "be too long to read.",
      .rewards =
          "-1 malformed, -0.5 a vertex that does not exist or comes twice, -0.2 a vertex that is "
          "not covered, else (least cost / cost)^3.",
      .differences =
          "Trees are long, bushy or neither, and at least two vertices are to be covered. From 5 "
          "vertices on, a problem is drawn again that is solved by choosing just the vertices to "
          "be covered, the cheapest for each of them, or again and again the cheapest for what it "
          "adds, with or without the superfluous left out; of 5 to 9 vertices, at least two must "
          "be chosen.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "In trees of 5 vertices, at level 2, the best choice is mostly one of ten pairs.",
      .guess_until_level = 2,
      .source = "JLOI 2016: Reconnaissance guards",
      .max_level = 50,
  };

  static constexpr double kBeta = 3.0;
  static constexpr double kUncoveredReward = -0.2;
  static constexpr int kFewVertices = 5;
  static constexpr int kManyVertices = 10;  // a single one of them rarely is the best choice
  static constexpr int kDraws = 1000;
  static constexpr std::int64_t kMaxD = kMaxVertices;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    std::vector<std::int64_t> covered_vertices;  // to be covered
    std::int64_t D = 0;
    std::vector<std::int64_t> W;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edges, covered_vertices, D, W, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_accepted(
        kDraws, [&] { return drawn(config, random_shaped_tree, 2, rng); },
        [&](const Problem& draft) {
          if (config.N < kFewVertices) return true;
          const auto is_best = [&](const Answer& vertices) {
            return cost_of(draft, vertices) == draft.gold_answer;  // rules leave nothing uncovered
          };
          if (some_rule_is_best<MinCostTreeCoverage>(draft, is_best)) return false;
          return config.N >= kManyVertices || solve(draft).size() >= 2;
        });
    disguise_edges(problem.edges, rng);
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem = drawn(config, random_recursive_tree, 1, rng);
    disguise_edges(problem.edges, rng);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges));
    RETURN_IF_ERROR(check_numbers("covered_vertices", problem.covered_vertices,
                                  std::ssize(problem.covered_vertices), 0, problem.N - 1));
    RETURN_IF_ERROR(within("covered_vertices", std::ssize(problem.covered_vertices), 1, problem.N));
    RETURN_IF_ERROR(within("D", problem.D, 0, kMaxD));
    RETURN_IF_ERROR(check_numbers("W", problem.W, problem.N, 1, kMaxWeight));
    return reference_is("gold_answer", problem.gold_answer, cost_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 0 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "Choosing a vertex costs:\n"
        "{}\n"
        "A chosen vertex covers itself and each vertex that is at most {} edge{} away from it. "
        "Choose different vertices such that each of these is covered by at least one of them, and "
        "the sum of the costs of the chosen vertices is as small as possible:\n"
        "{}\n"
        "Any vertex may be chosen. Answer with the chosen vertices in any order on one line, "
        "separated by spaces.",
        problem.N - 1, format_edges(problem.edges), with_indices("W", problem.W), problem.D,
        problem.D == 1 ? "" : "s", format_answer(problem.covered_vertices));
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> chosen(problem.W.size());
    for (const std::int64_t v : answer) {
      if (v < 0 || v >= problem.N || std::exchange(chosen[v], 1) != 0) return kInvalidReward;
    }
    if (answer.empty()) return kUncoveredReward;
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    const std::vector<int> distances = distances_to_nearest(tree, answer);
    for (const std::int64_t v : problem.covered_vertices) {
      if (distances[v] > problem.D) return kUncoveredReward;
    }
    return minimise_reward(cost_of(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return Search(problem).best(); }

  // Vertices in random order that cover something new.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    const Balls balls(problem);
    std::vector<char> covered(problem.W.size());
    Answer chosen;
    for (const int v : rng.permutation(problem.N)) {
      if (balls.cover(v, covered) > 0) chosen.push_back(v);
    }
    return chosen;
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    if (visit("the vertices to be covered", problem.covered_vertices)) return true;
    const Balls balls(problem);
    std::vector<char> is_cheapest(problem.W.size());
    for (const std::int64_t target : problem.covered_vertices) {
      std::int64_t cheapest = target;
      for (int v = 0; v < problem.N; ++v) {
        if (balls.reaches(v, target) && problem.W[v] < problem.W[cheapest]) cheapest = v;
      }
      is_cheapest[cheapest] = 1;
    }
    Answer each;
    for (int v = 0; v < problem.N; ++v) {
      if (is_cheapest[v]) each.push_back(v);
    }
    if (visit("the cheapest for each of them", each)) return true;
    const Answer greedy = by_cost_of_new(problem, balls);
    return visit("the cheapest for what it adds, again and again", greedy) ||
           visit("the same without the superfluous", without_superfluous(problem, balls, greedy));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(all_rules<MinCostTreeCoverage>(problem));
    Answer all;
    for (int v = 0; v < problem.N; ++v) all.push_back(v);
    named.push_back({"all vertices", format_answer(all)});
    return named;
  }

 private:
  // At least so many vertices are to be covered.
  template <typename DrawTree>
  static Problem drawn(const Config& config, DrawTree draw_tree, std::uint64_t least, Rng& rng) {
    Problem problem{.N = config.N,
                    .edges = {},
                    .covered_vertices = {},
                    .D = 1,
                    .W = draw_numbers(config.N, 1, config.N, rng),
                    .gold_answer = 0};
    const std::vector<int> order = rng.permutation(config.N);
    problem.edges = draw_tree(order, rng);
    problem.covered_vertices = rng.sample(0, config.N - 1, least + rng.below(config.N + 1 - least));
    const RootedTree tree = *root_tree(problem.N, problem.edges, order[0]);
    const std::vector<int> depth = depths(tree);
    int deepest = 0;
    for (const std::int64_t v : problem.covered_vertices) deepest = std::max(deepest, depth[v]);
    problem.D = rng.integer(1, std::max(1, deepest / 2));
    problem.gold_answer = cost_of(problem, solve(problem));
    return problem;
  }

  static std::int64_t cost_of(const Problem& problem, const Answer& vertices) {
    std::int64_t cost = 0;
    for (const std::int64_t v : vertices) cost += problem.W[v];
    return cost;
  }

  // What vertices cover.
  struct Balls {
    const Problem& problem;
    std::vector<std::vector<int>> distances;

    explicit Balls(const Problem& of)
        : problem(of), distances(tree_distances(*root_tree(of.N, of.edges, 0))) {}

    bool reaches(std::int64_t v, std::int64_t target) const {
      return distances[v][target] <= problem.D;
    }

    // How many vertices that are to be covered v would add.
    std::int64_t adds(std::int64_t v, const std::vector<char>& covered) const {
      return std::ranges::count_if(problem.covered_vertices, [&](std::int64_t target) {
        return !covered[target] && reaches(v, target);
      });
    }

    std::int64_t cover(std::int64_t v, std::vector<char>& covered) const {
      const std::int64_t added = adds(v, covered);
      for (const std::int64_t target : problem.covered_vertices) {
        if (reaches(v, target)) covered[target] = 1;
      }
      return added;
    }
  };

  static Answer by_cost_of_new(const Problem& problem, const Balls& balls) {
    std::vector<char> covered(problem.W.size());
    Answer chosen;
    while (true) {
      int best = -1;
      std::int64_t most = 0;
      for (int v = 0; v < problem.N; ++v) {
        const std::int64_t added = balls.adds(v, covered);
        if (added == 0) continue;
        if (best < 0 || added * problem.W[best] > most * problem.W[v]) {
          best = v;
          most = added;
        }
      }
      if (best < 0) return chosen;
      balls.cover(best, covered);
      chosen.push_back(best);
    }
  }

  static Answer without_superfluous(const Problem& problem, const Balls& balls, Answer chosen) {
    std::ranges::stable_sort(chosen, std::greater(), [&](std::int64_t v) { return problem.W[v]; });
    for (std::size_t i = 0; i < chosen.size();) {
      std::vector<char> covered(problem.W.size());
      std::int64_t count = 0;
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        if (k != i) count += balls.cover(chosen[k], covered);
      }
      if (count == std::ssize(problem.covered_vertices)) {
        chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    return chosen;
  }

  // Two tables a vertex, by a distance d of 0 … D. reach[d]: the least cost to cover all of its
  // subtree such that vertices outside it, up to d edges above, are covered as well. lack[d]: the
  // same where vertices less than d edges below it may still lack cover. Children join one after
  // another; the tables before that are kept, so that the choices can be traced back.
  struct Search {
    const Problem& problem;
    RootedTree tree;
    int limit;  // D, which matters up to N
    struct Tables {
      std::vector<std::int64_t> reach;  // limit + 2, the last one never possible
      std::vector<std::int64_t> lack;   // limit + 1
    };
    std::vector<Tables> now;     // of a vertex with the children so far
    std::vector<Tables> before;  // of its parent before the vertex joined it
    std::vector<int> last;       // the child that joined last
    std::vector<int> previous;   // the child of the same parent that joined before
    static constexpr std::int64_t kNever = std::int64_t{1} << 60;

    explicit Search(const Problem& of)
        : problem(of),
          tree(*root_tree(of.N, of.edges, 0)),
          limit(static_cast<int>(std::min<std::int64_t>(of.D, of.N))),
          now(of.W.size()),
          before(of.W.size()),
          last(of.W.size(), -1),
          previous(of.W.size(), -1) {
      for (int v = 0; v < problem.N; ++v) {
        now[v].reach.assign(static_cast<std::size_t>(limit) + 2, problem.W[v]);
        now[v].reach[0] = 0;
        now[v].reach[limit + 1] = kNever;
        now[v].lack.assign(static_cast<std::size_t>(limit) + 1, 0);
      }
      for (const std::int64_t v : problem.covered_vertices) {
        now[v].reach[0] = now[v].lack[0] = problem.W[v];
      }
      for (std::size_t i = tree.order.size() - 1; i > 0; --i) join(tree.order[i]);
    }

    static std::int64_t reach_from_above(const Tables& parent, const Tables& child, int d) {
      return parent.reach[d] + child.lack[d];
    }
    static std::int64_t reach_from_below(const Tables& parent, const Tables& child, int d) {
      return child.reach[d + 1] +
             (static_cast<std::size_t>(d) + 1 < parent.lack.size() ? parent.lack[d + 1] : kNever);
    }

    void join(int child) {
      const int parent = tree.parent[child];
      previous[child] = last[parent];
      last[parent] = child;
      before[child] = now[parent];
      const Tables& above = before[child];
      Tables& joined = now[parent];
      for (int d = limit; d >= 0; --d) {
        joined.reach[d] = std::min({reach_from_above(above, now[child], d),
                                    reach_from_below(above, now[child], d), joined.reach[d + 1]});
      }
      joined.lack[0] = joined.reach[0];
      for (int d = 1; d <= limit; ++d) {
        joined.lack[d] = std::min(above.lack[d] + now[child].lack[d - 1], joined.lack[d - 1]);
      }
    }

    struct Step {
      int vertex;
      int child;  // that joined last
      bool is_reach;
      int d;
    };

    // Follows the least cost back to the vertices that were paid for.
    Answer best() const {
      Answer chosen;
      std::vector<Step> open{{0, last[0], true, 0}};
      while (!open.empty()) {
        const Step step = open.back();
        open.pop_back();
        const int child = step.child;
        if (child < 0) {
          if (initial_cost(step) > 0) chosen.push_back(step.vertex);
          continue;
        }
        const bool is_last = child == last[step.vertex];
        const Tables& above = before[child];
        const Tables& below = now[child];
        const Tables& joined = is_last ? now[step.vertex] : before[next(step.vertex, child)];
        int d = step.d;
        if (!step.is_reach) {
          while (d > 0 && joined.lack[d] == joined.lack[d - 1]) --d;
          if (d > 0) {
            open.push_back({step.vertex, previous[child], false, d});
            open.push_back({child, last[child], false, d - 1});
            continue;
          }
        }
        while (joined.reach[d] == joined.reach[d + 1]) ++d;
        const bool from_above = joined.reach[d] == reach_from_above(above, below, d);
        open.push_back({step.vertex, previous[child], from_above, from_above ? d : d + 1});
        open.push_back({child, last[child], !from_above, from_above ? d : d + 1});
      }
      return chosen;
    }

    // What the step's vertex alone costs.
    std::int64_t initial_cost(const Step& step) const {
      if (step.d > 0) return step.is_reach ? problem.W[step.vertex] : 0;
      return std::ranges::find(problem.covered_vertices, step.vertex) !=
                     problem.covered_vertices.end()
                 ? problem.W[step.vertex]
                 : 0;
    }

    // The child of `vertex` that joined after `child`.
    int next(int vertex, int child) const {
      int later = last[vertex];
      while (previous[later] != child) later = previous[later];
      return later;
    }
  };
};
REDQUEEN_ENVIRONMENT(MinCostTreeCoverage);

}  // namespace
}  // namespace redqueen
