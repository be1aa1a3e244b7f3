#include <algorithm>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/number/binomial.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct TreeTopologicalSequenceCounting {
  static constexpr Card card{
      .name = "TreeTopologicalSequenceCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count the permutations that meet comparisons of pairs of entries, which form a tree, "
          "modulo a given number.",
      .levels = "The permutation has 3 entries and one more each level.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "The modulus is at least 100000 and no divisor of the count; answers are drawn evenly "
          "among those that come up, and from four entries on more than one permutation is left.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "With three entries, at level 0, one or two permutations are left, and with four at "
          "most six.",
      .guess_until_level = 0,
      .source = "SAO, HEOI 2013",
  };

  static constexpr int kMaxEntries = 300;
  static constexpr std::int64_t kMaxModulus = 1'000'000;
  static constexpr int kShort = 12;  // up to here, answers are drawn evenly
  static constexpr int kDraws = 6;

  using Comparison = std::tuple<int, std::string, int>;  // u, "<" or ">", v

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::int64_t MOD = 0;
    std::vector<Comparison> edges;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, MOD, edges, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int draws = config.N <= kShort ? kDraws : 1;
    return draw_spread(draws, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
      Problem problem{.N = config.N};
      problem.MOD = rng.integer(100'000, kMaxModulus);
      std::vector<Edge> edges = random_recursive_tree(rng.permutation(config.N), rng);
      disguise_edges(edges, rng);
      const std::vector<int> planted = rng.permutation(config.N);
      problem.edges.reserve(edges.size());
      for (const auto& [u, v] : edges) {
        problem.edges.emplace_back(u, planted[u] < planted[v] ? "<" : ">", v);
      }
      problem.reference_answer = count(problem);
      const Answer answer = problem.reference_answer;
      if (answer == 0 || (answer == 1 && config.N > 3)) return std::nullopt;
      return std::pair(answer, std::move(problem));
    });
  }

  // A random recursive tree with random labels, of which each edge compares its ends in a random
  // permutation; the modulus is uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N};
    problem.MOD = rng.integer(2, kMaxModulus);
    const std::vector<int> planted = rng.permutation(config.N);
    for (const auto& [a, b] : random_recursive_tree(rng.permutation(config.N), rng)) {
      const auto [u, v] = std::minmax(a, b);
      problem.edges.emplace_back(u, planted[u] < planted[v] ? "<" : ">", v);
    }
    rng.shuffle(problem.edges);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxEntries));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    if (!root_tree(problem.N, plain_edges(problem), 0)) {
      return failure(R"("edges": not the edges of a tree on the vertices 0 to "N" - 1)");
    }
    for (const auto& [u, sign, v] : problem.edges) {
      if (sign != "<" && sign != ">") {
        return failure(R"("edges": expected "<" or ">" between {} and {})", u, v);
      }
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (const auto& [u, sign, v] : problem.edges) {
      append_format(list, "p[{}] {} p[{}]\n", u, sign, v);
    }
    return fmt::format(
        "Count the permutations p[0], …, p[{0}] of the numbers 0 to {0} that meet all of these "
        "conditions:\n"
        "{1}"
        "What is the remainder of their number when divided by {2}?\n"
        "Answer with one integer from 0 to {3}.",
        problem.N - 1, list, problem.MOD, problem.MOD - 1);
  }

  static double score(const Problem& problem, Answer answer) {
    return residue_reward(answer, problem.reference_answer, problem.MOD);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.MOD - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    BigInt all = 1;
    for (int i = 2; i <= problem.N; ++i) all *= i;
    // Of all permutations, one in as many as the subtree has vertices has its root first.
    BigInt hooks = all;
    for (const int size : subtree_sizes(*root_tree(problem.N, plain_edges(problem), 0))) {
      hooks /= size;
    }
    const auto residue_of = [&](const BigInt& number) {
      return format_answer(BigInt(number % problem.MOD));
    };
    return {{"N!", residue_of(all)},
            {"half for every condition", residue_of(BigInt(all >> (problem.N - 1)))},
            {"2 for every second condition", residue_of(BigInt(BigInt(1) << problem.N / 2))},
            {"as if p[0] were the root of a heap", residue_of(hooks)}};
  }

 private:
  static std::vector<Edge> plain_edges(const Problem& problem) {
    std::vector<Edge> edges;
    edges.reserve(problem.edges.size());
    for (const auto& [u, sign, v] : problem.edges) edges.emplace_back(u, v);
    return edges;
  }

  // orders[r]: the orders of a subtree's entries by size in which the root has r smaller ones.
  // Children are merged into their parents one by one, O(N²) in all.
  static std::int64_t count(const Problem& problem) {
    const std::int64_t modulus = problem.MOD;
    const RootedTree tree = *root_tree(problem.N, plain_edges(problem), 0);
    const PascalTriangle choose(problem.N, modulus);
    std::vector<std::vector<std::int64_t>> orders(static_cast<std::size_t>(problem.N),
                                                  {1 % modulus});
    for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
      const int child = tree.order[i];
      const auto& [u, sign, v] = problem.edges[tree.edge[child]];
      const bool is_smaller = (u == child) == (sign == "<");  // than its parent
      auto& whole = orders[tree.parent[child]];
      const auto below = by_smaller(orders[child], is_smaller, modulus);
      const int old_size = static_cast<int>(whole.size());
      const int child_size = static_cast<int>(orders[child].size());
      std::vector<std::int64_t> merged(static_cast<std::size_t>(old_size + child_size));
      for (int r = 0; r < old_size; ++r) {
        for (int s = 0; s <= child_size; ++s) {  // entries of the child's that are smaller
          const std::int64_t mixed = choose(r + s, s) *
                                     choose(old_size - 1 - r + child_size - s, child_size - s) %
                                     modulus;
          std::int64_t& sum = merged[r + s];
          sum = (sum + whole[r] * below[s] % modulus * mixed) % modulus;
        }
      }
      whole = std::move(merged);
      orders[child].clear();
    }
    std::int64_t sum = 0;
    for (const std::int64_t ways : orders[0]) sum += ways;
    return sum % modulus;
  }

  // Entry s: the orders of the child's entries in which the parent can come after the first s of
  // them, so that the child itself is among these or among the rest.
  static std::vector<std::int64_t> by_smaller(const std::vector<std::int64_t>& orders,
                                              bool is_smaller, std::int64_t modulus) {
    std::vector<std::int64_t> sums(orders.size() + 1);
    for (std::size_t s = 0; s < orders.size(); ++s) sums[s + 1] = (sums[s] + orders[s]) % modulus;
    if (is_smaller) return sums;
    const std::int64_t all = sums.back();
    for (std::int64_t& sum : sums) sum = (all - sum + modulus) % modulus;
    return sums;
  }
};
REDQUEEN_ENVIRONMENT(TreeTopologicalSequenceCounting);

}  // namespace
}  // namespace redqueen
