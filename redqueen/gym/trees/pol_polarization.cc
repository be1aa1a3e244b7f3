#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct POLPolarization {
  static constexpr Card card{
      .name = "POLPolarization",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Direct the edges of a tree so that as many ordered pairs of vertices as possible are "
          "joined by a directed path.",
      .levels = "The tree has 4 vertices, and one more each level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Trees are long or bushy to different degrees, and of several draws every answer is as "
          "likely. From 7 vertices on, many trees are drawn such that the branches of the vertex "
          "in the middle cannot be divided into halves, and from 17 on, all others such that "
          "taking the largest branches first does not divide them best, where that can be.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "A small tree has few answers: 5 and 6 with four vertices. Few trees of up to 20 "
          "vertices, which are those up to level 16, defeat the rule that takes the largest "
          "branches first; of larger ones, it is right for half of the problems, and mostly the "
          "others can be halved.",
      .guess_until_level = 16,
      .guess_bound = 0.65,
      .version = 3,
  };

  static constexpr int kDraws = 8;
  static constexpr int kUnevenFrom = 7;
  static constexpr int kGreedyFailsFrom = 17;
  static constexpr int kAttempts = 150;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;  // vertices from 0
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, edges, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    return draw_spread(kDraws, rng, [&] {
      Problem problem{.N = n, .edges = draw_tree(n, rng), .reference_answer = 0};
      disguise_edges(problem.edges, rng);
      problem.reference_answer = most_pairs(problem);
      return std::optional(std::pair(problem.reference_answer, std::move(problem)));
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{
        .N = config.N, .edges = draw_connected_edges(config.N, 0, rng), .reference_answer = 0};
    problem.reference_answer = most_pairs(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges));
    return reference_is("reference_answer", problem.reference_answer, most_pairs(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 0 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "Each edge gets a direction. Then count the ordered pairs (x, y) of two different vertices "
        "for which a path leads from x to y along the directions of all its edges. What is the "
        "greatest number of such pairs that can be reached?\n"
        "Answer with one integer.",
        problem.N - 1, format_edges(problem.edges));
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(problem.N - 1, problem.N * (problem.N - 1) / 2);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Middle middle(problem);
    const Answer n = problem.N;
    const Answer hub = std::ranges::max(degrees(problem.N, problem.edges));
    return {{"as if the branches could be halved", format_answer(middle.pairs((n - 1) / 2))},
            {"the largest branches first", format_answer(middle.pairs(middle.greedy_inward()))},
            {"half of all pairs", format_answer(n * (n - 1) / 2)},
            {"a star with the most edges of a vertex",
             format_answer(n - 1 + (hub / 2) * (hub - hub / 2))}};
  }

 private:
  static Answer most_pairs(const Problem& problem) {
    const Middle middle(problem);
    return middle.pairs(middle.best_inward());
  }

  // The tree hung up at a vertex that no branch with more than half of the vertices leaves. In some
  // best direction every branch leads to this vertex or away from it.
  class Middle {
   public:
    explicit Middle(const Problem& problem) : n_(problem.N) {
      const RootedTree any = *root_tree(n_, problem.edges, 0);
      const std::vector<int> any_sizes = subtree_sizes(any);
      int centre = 0;  // the last in order, hence the lowest, that has half below it
      for (const int v : any.order) {
        if (2 * any_sizes[v] >= n_) centre = v;
      }
      const RootedTree tree = *root_tree(n_, problem.edges, centre);
      const std::vector<int> sizes = subtree_sizes(tree);
      for (std::size_t i = 1; i < tree.order.size(); ++i) {
        const int v = tree.order[i];
        within_ += sizes[v];
        if (tree.parent[v] == centre) branches_.push_back(sizes[v]);
      }
      std::ranges::sort(branches_, std::greater());
    }

    // With so many vertices in branches that lead to the centre.
    Answer pairs(std::int64_t inward) const { return within_ + inward * (n_ - 1 - inward); }

    int best_inward() const { return POLPolarization::best_inward(n_, branches_); }
    int greedy_inward() const { return POLPolarization::greedy_inward(branches_); }

   private:
    int n_;
    std::int64_t within_ = 0;  // pairs within branches or with the centre
    std::vector<int> branches_;
  };

  // Most trees can be halved at their middle, and the largest branches first nearly always find the
  // best division: where that can be, trees are made such that one of the two fails.
  static std::vector<Edge> draw_tree(int n, Rng& rng) {
    const bool may_fail = n >= kGreedyFailsFrom || (n >= kUnevenFrom && rng.chance(0.7));
    if (!may_fail) return random_shaped_tree(rng.permutation(n), rng);
    const bool by_greed = n >= kGreedyFailsFrom && rng.chance(0.5);
    std::vector<int> branches;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      branches = by_greed ? draw_branches(n, 5, 6, rng) : draw_branches(n, 3, 4, rng);
      const int best = best_inward(n, branches);
      if (by_greed ? greedy_inward(branches) < best : best < (n - 1) / 2) break;
    }
    const std::vector<int> order = rng.permutation(n);  // the middle comes last
    std::vector<Edge> edges;
    const int* first = order.data();
    for (const int size : branches) {
      const std::span<const int> branch(first, static_cast<std::size_t>(size));
      for (const Edge& edge : random_shaped_tree(branch, rng)) edges.push_back(edge);
      edges.emplace_back(rng.choice(branch), order.back());
      first += size;
    }
    return edges;
  }

  // The sizes of least … most branches with n − 1 vertices in all, none of them more than half of
  // n, in descending order. n > most.
  static std::vector<int> draw_branches(int n, int least, int most, Rng& rng) {
    while (true) {
      const std::int64_t count = rng.integer(least, most);
      std::vector<std::int64_t> cuts = rng.sample(1, n - 2, static_cast<std::size_t>(count) - 1);
      cuts.push_back(n - 1);
      std::ranges::sort(cuts);
      std::vector<int> branches;
      std::int64_t last = 0;
      for (const std::int64_t cut : cuts) {
        branches.push_back(static_cast<int>(cut - std::exchange(last, cut)));
      }
      std::ranges::sort(branches, std::greater());
      if (branches[0] <= n / 2) return branches;
    }
  }

  // The greatest sum of some branches, up to half of all.
  static int best_inward(int n, const std::vector<int>& branches) {
    std::vector<char> reachable((n + 1) / 2);  // sums
    reachable[0] = 1;
    for (const int size : branches) {
      for (int sum = static_cast<int>(reachable.size()) - 1; sum >= size; --sum) {
        if (reachable[sum - size] != 0) reachable[sum] = 1;
      }
    }
    return static_cast<int>(std::ranges::find(reachable.rbegin(), reachable.rend(), 1).base() -
                            reachable.begin()) -
           1;
  }

  // The smaller side, when each branch goes to it; descending sizes.
  static int greedy_inward(const std::vector<int>& branches) {
    int smaller = 0;
    int larger = 0;
    for (const int size : branches) {
      smaller += size;
      if (smaller > larger) std::swap(smaller, larger);
    }
    return smaller;
  }
};
REDQUEEN_ENVIRONMENT(POLPolarization);

}  // namespace
}  // namespace redqueen
