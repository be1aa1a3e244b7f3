#include <algorithm>
#include <limits>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct TreeColoring {
  static constexpr Card card{
      .name = "TreeColoring",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Colour K vertices of a tree so that the distances within the coloured ones and within "
          "the others are as great as possible in sum.",
      .levels = "The tree has 3 vertices, and one more each level.",
      .rewards = "-1 malformed, -0.5 not K different vertices, else (value / greatest value)^2.",
      .differences =
          "Trees are long or bushy to different degrees. From 5 vertices on, neither K nor N - K "
          "is 1, and a problem is drawn again that is solved by the first vertices, the ones with "
          "the greatest or the least distances in sum, the ends of the tree, vertices taken "
          "greedily, or one of four random sets.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "The exponent of the reward is small, so that a random set earns most of it; from level "
          "2 on, few are right.",
      .guess_until_level = 2,
      .source = "HAOI 2015: tree colouring",
  };

  static constexpr double kBeta = 2.0;
  static constexpr int kRulesFrom = 5;
  static constexpr int kDraws = 200;
  static constexpr int kRandomSets = 4;
  static constexpr int kMaxN = 500;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<WeightedEdge> edges;  // vertices from 0
    std::int64_t reference_answer_distance = 0;
    REDQUEEN_FIELDS(N, K, edges, reference_answer_distance)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const bool small = config.N < kRulesFrom;
    return draw_accepted(
        kDraws,
        [&] {
          Problem problem{.N = config.N};
          problem.K = static_cast<int>(rng.integer(small ? 1 : 2, config.N - (small ? 1 : 2)));
          problem.edges =
              weigh_edges(random_shaped_tree(rng.permutation(config.N), rng), 1, config.N, rng);
          problem.reference_answer_distance = Knapsack(problem).best();
          return problem;
        },
        [&](const Problem& problem) {
          if (small) return true;
          const Values values(problem);
          const auto is_best = [&](const Answer& red) {
            return values.of(red) == problem.reference_answer_distance;
          };
          for (int i = 0; i < kRandomSets; ++i) {
            if (is_best(random_answer(problem, rng))) return false;
          }
          return !some_rule_is_best<TreeColoring>(problem, is_best);
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{
        .N = n,
        .K = static_cast<int>(rng.integer(1, n - 1)),
        .edges = weigh_edges(random_recursive_tree(rng.permutation(n), rng), 1, n, rng)};
    problem.reference_answer_distance = Knapsack(problem).best();
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, ends_of(problem.edges), 0, 2, kMaxN));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N - 1));
    for (const auto& [u, v, weight] : problem.edges) {
      RETURN_IF_ERROR(within("edges", weight, 1, kMaxWeight));
    }
    return reference_is("reference_answer_distance", problem.reference_answer_distance,
                        Knapsack(problem).best());
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 0 to {}. Each of these lines gives an edge: its two ends and its "
        "length.\n"
        "{}\n"
        "The distance of two vertices is the sum of the lengths on the path between them. Colour "
        "exactly {} different vertices red; the other {} are blue. Add up the distances of all "
        "unordered pairs of two red vertices and of all unordered pairs of two blue vertices, and "
        "make this sum as great as possible.\n"
        "Answer with the {} red vertices in any order on one line, separated by spaces.",
        problem.N - 1, format_edges(problem.edges), problem.K, problem.N - problem.K, problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K) return kInvalidReward;
    std::vector<char> red(problem.N);
    for (const std::int64_t vertex : answer) {
      if (vertex < 0 || vertex >= problem.N || red[vertex] == 1) return kInvalidReward;
      red[vertex] = 1;
    }
    return maximise_reward(Values(problem).of(answer), problem.reference_answer_distance, kBeta);
  }

  static Answer solve(const Problem& problem) { return Knapsack(problem).red(); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(0, problem.N - 1, problem.K);
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    Answer order(problem.N);
    std::iota(order.begin(), order.end(), 0);
    const auto first = [&] { return Answer(order.begin(), order.begin() + problem.K); };
    if (visit("the first vertices", first())) return true;
    const std::vector<Edge> ends = ends_of(problem.edges);
    const std::vector<std::vector<std::int64_t>> distance = distances(problem, ends);
    std::vector<std::int64_t> sum;  // of the distances from a vertex
    sum.reserve(distance.size());
    for (const auto& from : distance) sum.push_back(std::reduce(from.begin(), from.end()));
    if (visit("the vertex that is farthest from the red ones, again and again",
              greedy(problem, distance))) {
      return true;
    }
    std::ranges::stable_sort(order, {}, [&](std::int64_t v) { return sum[v]; });
    if (visit("the vertices with the least distances in sum", first())) return true;
    std::ranges::reverse(order);
    if (visit("the vertices with the greatest distances in sum", first())) return true;
    const std::vector<int> degree = degrees(problem.N, ends);
    std::ranges::stable_sort(order, {}, [&](std::int64_t v) { return degree[v]; });
    return visit("the ends of the tree, the farthest first", first());
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<TreeColoring>(problem));
  }

 private:
  static std::int64_t weight(const Problem& problem, int edge) {
    return std::get<2>(problem.edges[edge]);
  }

  // Between all vertices, along their order in the tree.
  static std::vector<std::vector<std::int64_t>> distances(const Problem& problem,
                                                          std::span<const Edge> ends) {
    const RootedTree tree = *root_tree(problem.N, ends, 0);
    std::vector<std::vector<std::int64_t>> distance(
        static_cast<std::size_t>(problem.N),
        std::vector<std::int64_t>(static_cast<std::size_t>(problem.N)));
    for (std::size_t i = 1; i < tree.order.size(); ++i) {
      const int v = tree.order[i];
      for (std::size_t k = 0; k < i; ++k) {
        const int u = tree.order[k];
        distance[u][v] = distance[v][u] =
            distance[tree.parent[v]][u] + weight(problem, tree.edge[v]);
      }
    }
    return distance;
  }

  // How many of the summed paths lead over an edge with `size` vertices beyond it, `red` of them
  // red.
  static std::int64_t crossings(const Problem& problem, std::int64_t size, std::int64_t red) {
    const std::int64_t blue = size - red;
    return red * (problem.K - red) + blue * (problem.N - problem.K - blue);
  }

  // What choices of red vertices are worth, for one problem.
  struct Values {
    const Problem& problem;
    RootedTree tree;
    std::vector<int> sizes;

    explicit Values(const Problem& of)
        : problem(of), tree(*root_tree(of.N, ends_of(of.edges), 0)), sizes(subtree_sizes(tree)) {}

    std::int64_t of(const Answer& vertices) const {
      std::vector<int> red(sizes.size());  // vertices of each subtree
      for (const std::int64_t v : vertices) red[v] = 1;
      std::int64_t sum = 0;
      for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
        const int v = tree.order[i];
        red[tree.parent[v]] += red[v];
        sum += weight(problem, tree.edge[v]) * crossings(problem, sizes[v], red[v]);
      }
      return sum;
    }
  };

  static Answer greedy(const Problem& problem,
                       const std::vector<std::vector<std::int64_t>>& distance) {
    std::vector<std::int64_t> far(problem.N);  // distance from all red vertices
    Answer red;
    std::size_t next = 0;
    for (int i = 0; i < problem.K; ++i) {
      red.push_back(static_cast<std::int64_t>(next));
      for (std::size_t v = 0; v < far.size(); ++v) far[v] += distance[next][v];
      far[next] = std::numeric_limits<std::int64_t>::min() / 2;
      next = std::ranges::max_element(far) - far.begin();
    }
    return red;
  }

  // best_[v][k]: the most that the edges below v contribute when k vertices of its subtree are red.
  // Children are merged into their parents, the last of the order first: O(N²).
  class Knapsack {
   public:
    explicit Knapsack(const Problem& problem)
        : problem_(problem),
          tree_(*root_tree(problem.N, ends_of(problem.edges), 0)),
          sizes_(subtree_sizes(tree_)),
          best_(problem.N, {0, 0}),
          choice_(problem.N) {
      for (std::size_t i = tree_.order.size() - 1; i > 0; --i) merge(tree_.order[i]);
    }

    std::int64_t best() const { return best_[0][problem_.K]; }

    Answer red() const {
      std::vector<int> left(problem_.N);  // red vertices of the subtree, less those of children
      left[0] = problem_.K;
      for (std::size_t i = 1; i < tree_.order.size(); ++i) {
        const int v = tree_.order[i];
        int& above = left[tree_.parent[v]];
        left[v] = choice_[v][above];
        above -= left[v];
      }
      Answer red;
      for (int v = 0; v < problem_.N; ++v) {
        if (left[v] == 1) red.push_back(v);
      }
      return red;
    }

   private:
    void merge(int child) {
      const std::vector<std::int64_t> old = std::move(best_[tree_.parent[child]]);
      const std::vector<std::int64_t>& below = best_[child];
      std::vector<std::int64_t> merged(old.size() + below.size() - 1, -1);
      choice_[child].resize(merged.size());
      for (std::size_t red = 0; red < below.size(); ++red) {
        const std::int64_t more =
            below[red] + weight(problem_, tree_.edge[child]) *
                             crossings(problem_, sizes_[child], static_cast<std::int64_t>(red));
        for (std::size_t k = 0; k < old.size(); ++k) {
          if (old[k] + more <= merged[k + red]) continue;
          merged[k + red] = old[k] + more;
          choice_[child][k + red] = static_cast<int>(red);
        }
      }
      best_[tree_.parent[child]] = std::move(merged);
    }

    const Problem& problem_;
    RootedTree tree_;
    std::vector<int> sizes_;
    std::vector<std::vector<std::int64_t>> best_;
    std::vector<std::vector<int>> choice_;  // of the child's, by those of all merged so far
  };
};
REDQUEEN_ENVIRONMENT(TreeColoring);

}  // namespace
}  // namespace redqueen
