#include <algorithm>
#include <array>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct TreeDynamic_XORZeroPath {
  static constexpr Card card{
      .name = "TreeDynamic_XORZeroPath",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task =
          "Count the paths of a tree on which the XOR of the weights is 0, while its edges are "
          "removed one after another.",
      .levels = "The tree has 3 vertices, and one more each level.",
      .rewards = "-1 malformed, -0.5 not N numbers, else (right counts / N)^5.",
      .differences =
          "Weights are smaller than a bound of 2, 4 or 8 so that such paths exist. At least half "
          "of the counts are not 0, but for the last. From 4 vertices on, a problem is drawn again "
          "where counting all paths, or only the edges of weight 0, is right.",
      .small_answer_space = "With 3 vertices, at level 0, there are few answers.",
      .guess_until_level = 0,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kRulesFrom = 4;
  static constexpr int kDraws = 200;
  static constexpr std::array<std::int64_t, 3> kBounds{2, 4, 8};

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;    // vertices from 0
    std::vector<std::int64_t> removes;  // places in `edges`
    REDQUEEN_FIELDS(N, edges, removes)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    return draw_accepted(
        kDraws,
        [&] {
          const std::int64_t bound = std::min<std::int64_t>(rng.choice(kBounds), n + 1);
          Problem problem{
              .N = n,
              .edges = weigh_edges(random_shaped_tree(rng.permutation(n), rng), 0, bound - 1, rng),
              .removes = ascending_order(n - 1)};
          rng.shuffle(problem.removes);
          return problem;
        },
        [&](const Problem& problem) {
          const auto zeros = std::ranges::count(solve(problem), 0) - 1;
          if (2 * zeros > n - 1) return false;
          return n < kRulesFrom || !some_rule_solves<TreeDynamic_XORZeroPath>(problem);
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .edges = weigh_edges(random_recursive_tree(rng.permutation(n), rng), 0, n, rng),
                    .removes = ascending_order(n - 1)};
    rng.shuffle(problem.removes);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, ends_of(problem.edges)));
    for (const auto& [u, v, weight] : problem.edges) {
      RETURN_IF_ERROR(within("edges", weight, 0, kMaxWeight));
    }
    if (!is_order(problem.N - 1, problem.removes)) {
      return failure("\"removes\": expected each of 0 to \"N\" - 2 once");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string lines;
    for (std::size_t k = 0; k < problem.edges.size(); ++k) {
      const auto& [u, v, weight] = problem.edges[k];
      append_format(lines, "edge {}: {} {} {}\n", k, u, v, weight);
    }
    return fmt::format(
        "A tree has the vertices 0 to {0} and the edges 0 to {1}. After the number of an edge come "
        "its two ends and its weight:\n"
        "{2}"
        "All edges are removed, one after another, in this order of their numbers:\n"
        "{3}\n"
        "Count the unordered pairs of two different vertices that are connected by a path of edges "
        "still there, and for which the bitwise XOR of the weights on this path is 0. Do so before "
        "the first removal and after each removal.\n"
        "Answer with the {4} counts in this order on one line, separated by spaces.",
        problem.N - 1, problem.N - 2, lines, format_answer(problem.removes), problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    const Answer right = solve(problem);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < right.size(); ++i) matches += answer[i] == right[i];
    return share_reward(matches, problem.N, kBeta);
  }

  // With the XOR from a root as label, the XOR between two vertices is 0 if their labels are equal.
  static Answer solve(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, ends_of(problem.edges), 0);
    std::vector<std::int64_t> label(problem.N);
    for (std::size_t i = 1; i < tree.order.size(); ++i) {
      const int v = tree.order[i];
      label[v] = label[tree.parent[v]] ^ std::get<2>(problem.edges[tree.edge[v]]);
    }
    return counts(problem, label);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (int i = 0; i < problem.N; ++i) answer.push_back(rng.integer(0, problem.N - i));
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer edges(problem.N);  // of weight 0 that are left
    for (std::size_t i = edges.size() - 1; i > 0; --i) {
      edges[i - 1] = edges[i] + (std::get<2>(problem.edges[problem.removes[i - 1]]) == 0 ? 1 : 0);
    }
    return {{"all paths", counts(problem, std::vector<std::int64_t>(problem.N))},
            {"the edges of weight 0", std::move(edges)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"all counts 0", format_answer(Answer(problem.N))});
    return named;
  }

 private:
  // Pairs of equal labels within a component, before and after each removal. Edges come back, the
  // last first, and each joins two components: O(N²).
  static Answer counts(const Problem& problem, const std::vector<std::int64_t>& label) {
    std::vector<int> component(problem.N);
    std::vector<std::vector<std::int64_t>> labels(problem.N);  // of a component
    std::vector<std::vector<int>> members(problem.N);
    for (int v = 0; v < problem.N; ++v) {
      component[v] = v;
      labels[v] = {label[v]};
      members[v] = {v};
    }
    Answer counts(problem.N);
    for (std::size_t i = counts.size() - 1; i > 0; --i) {
      const auto& [u, v, weight] = problem.edges[problem.removes[i - 1]];
      int large = component[u];
      int small = component[v];
      if (members[large].size() < members[small].size()) std::swap(large, small);
      std::int64_t pairs = 0;
      for (const int member : members[small]) {
        pairs += std::ranges::count(labels[large], label[member]);
        component[member] = large;
      }
      members[large].insert(members[large].end(), members[small].begin(), members[small].end());
      labels[large].insert(labels[large].end(), labels[small].begin(), labels[small].end());
      counts[i - 1] = counts[i] + pairs;
    }
    return counts;
  }
};
REDQUEEN_ENVIRONMENT(TreeDynamic_XORZeroPath);

}  // namespace
}  // namespace redqueen
