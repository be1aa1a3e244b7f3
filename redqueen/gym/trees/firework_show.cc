#include <algorithm>
#include <iterator>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct FireworkShow {
  static constexpr Card card{
      .name = "FireworkShow",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Change the lengths of the edges of a rooted tree as little as possible such that all "
          "leaves are at the same distance from the root.",
      .levels = "The tree has 3 vertices and one more each level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Trees are long, bushy or neither, and of several draws every answer is as likely. From "
          "6 "
          "vertices on, something must change, and a problem is drawn again in which it is right "
          "to change the edges at leaves alone, to lengthen every path to the longest, or to even "
          "out every vertex by the median of its children.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "In trees of up to 5 vertices, at levels 0 to 2, it is always best to change the edges "
          "at leaves alone, and there are few answers.",
      .guess_until_level = 2,
      .source = "APIO 2016: Fireworks",
  };

  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 24;  // among which answers are made as likely
  // Of three leaves, the farthest and the nearest must change by the difference of their distances,
  // and that is enough: the edges below which one of them lies alone can take it.
  static constexpr int kFewestLeaves = 4;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::pair<int, std::int64_t>> parents;  // and lengths, of the vertices 2 … N
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, parents, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    std::vector<int> order(static_cast<std::size_t>(config.N));
    std::iota(order.begin(), order.end(), 1);
    return draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
      Problem draft{.N = config.N, .parents = {}, .reference_answer = 0};
      for (const auto& [parent, child] : random_shaped_tree(order, rng)) {
        draft.parents.emplace_back(parent, rng.integer(1, config.N));
      }
      const bool strict = config.N >= kFewVertices;
      if (strict && leaf_count(draft) < kFewestLeaves) return std::nullopt;
      draft.reference_answer = least_cost(draft);
      if (strict && some_rule_is_best<FireworkShow>(
                        draft, [&](Answer cost) { return cost == draft.reference_answer; })) {
        return std::nullopt;
      }
      return std::pair{draft.reference_answer, std::move(draft)};
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .parents = {}, .reference_answer = 0};
    for (int child = 2; child <= config.N; ++child) {
      const auto parent = static_cast<int>(rng.integer(1, child - 1));
      problem.parents.emplace_back(parent, rng.integer(1, config.N));
    }
    problem.reference_answer = least_cost(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxVertices));
    RETURN_IF_ERROR(within("parents", std::ssize(problem.parents), problem.N - 1, problem.N - 1));
    for (int i = 0; i + 1 < problem.N; ++i) {
      RETURN_IF_ERROR(within("parents", problem.parents[i].first, 1, i + 1));
      RETURN_IF_ERROR(within("parents", problem.parents[i].second, 0, kMaxWeight));
    }
    return reference_is("reference_answer", problem.reference_answer, least_cost(problem));
  }

  static std::string prompt(const Problem& problem) {
    std::vector<WeightedEdge> edges;
    for (int i = 0; i + 1 < problem.N; ++i) {
      edges.emplace_back(problem.parents[i].first, i + 2, problem.parents[i].second);
    }
    return fmt::format(
        "A rooted tree has the vertices 1 to {}; its root is 1. Each line gives a vertex, one of "
        "its children, and the length of the edge between them:\n"
        "{}\n"
        "The leaves are the vertices without children. You may change the length of any edge to "
        "any integer that is not negative; changing it from w to x costs |w - x|. Afterwards, the "
        "sum of the lengths on the path from the root must be the same for all leaves. What is the "
        "least possible sum of the costs?\n"
        "Answer with one integer.",
        problem.N, format_edges(edges));
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, 2 * problem.reference_answer + 4);
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    const std::vector<int> children = children_of(problem);
    std::vector<Answer> distances(children.size());
    std::vector<Answer> leaves;
    for (int v = 2; v <= problem.N; ++v) {
      const auto& [parent, length] = problem.parents[v - 2];
      distances[v] = distances[parent] + length;
      if (children[v] == 0) leaves.push_back(distances[v]);
    }
    std::ranges::sort(leaves);
    return visit("nothing to change", 0) ||
           visit("edges at leaves, to the median distance",
                 deviation(leaves, leaves[leaves.size() / 2])) ||
           visit("edges at leaves, to the longest distance", deviation(leaves, leaves.back())) ||
           visit("each vertex evened out by the median of its children", evened_out(problem));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<FireworkShow>(problem));
  }

 private:
  static std::int64_t leaf_count(const Problem& problem) {
    return std::ranges::count(children_of(problem), 0) - 1;  // there is no vertex 0
  }

  // By vertex; the vertices count from 1.
  static std::vector<int> children_of(const Problem& problem) {
    std::vector<int> children(static_cast<std::size_t>(problem.N) + 1);
    for (const auto& [parent, length] : problem.parents) ++children[parent];
    return children;
  }

  static Answer deviation(const std::vector<Answer>& values, Answer from) {
    Answer sum = 0;
    for (const Answer value : values) sum += std::abs(value - from);
    return sum;
  }

  // From the leaves up: all branches of a vertex are given the (lower) median of their lengths.
  static Answer evened_out(const Problem& problem) {
    std::vector<std::vector<Answer>> branches(static_cast<std::size_t>(problem.N) + 1);
    Answer cost = 0;
    for (int v = problem.N; v >= 1; --v) {
      Answer height = 0;
      if (!branches[v].empty()) {
        std::ranges::sort(branches[v]);
        height = branches[v][(branches[v].size() - 1) / 2];
        cost += deviation(branches[v], height);
      }
      if (v == 1) break;
      const auto& [parent, length] = problem.parents[v - 2];
      branches[parent].push_back(height + length);
    }
    return cost;
  }

  // The least cost below a vertex, as a function of the common distance of its leaves, is convex
  // and piecewise linear; it is kept as the ascending list of the places where its slope rises by
  // one. Above the last place the slope is the number of children, and the edge to the parent takes
  // slopes above 1 away, for it can be lengthened; it shifts the lowest part by its length.
  static Answer least_cost(const Problem& problem) {
    const std::vector<int> children = children_of(problem);
    std::vector<std::vector<Answer>> bends(children.size());
    Answer cost = 0;  // of distance 0: all lengths become 0
    for (int v = problem.N; v >= 2; --v) {
      const auto& [parent, length] = problem.parents[v - 2];
      cost += length;
      std::vector<Answer>& own = bends[v];
      if (children[v] == 0) {
        own = {length, length};
      } else {
        own.resize(own.size() - static_cast<std::size_t>(children[v] - 1));
        own[own.size() - 1] += length;
        own[own.size() - 2] += length;
      }
      std::vector<Answer> merged;
      merged.reserve(own.size() + bends[parent].size());
      std::ranges::merge(own, bends[parent], std::back_inserter(merged));
      bends[parent] = std::move(merged);
    }
    std::vector<Answer>& root = bends[1];
    root.resize(root.size() - static_cast<std::size_t>(children[1]));
    return cost - std::accumulate(root.begin(), root.end(), Answer{0});
  }
};
REDQUEEN_ENVIRONMENT(FireworkShow);

}  // namespace
}  // namespace redqueen
