#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Kth_BinaryTree {
  static constexpr Card card{
      .name = "Kth_BinaryTree",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kExact,
      .task =
          "Binary trees are ranked by their size and then by the ranks of their subtrees; write "
          "down the tree of a given rank.",
      .levels = "The bound on the rank starts at 3 and grows by half each level.",
      .rewards =
          "-1 malformed, -0.5 a character that trees are not written with, 0 another text, 1 "
          "right.",
      .differences =
          "The letter for a node is drawn, and so is the subtree that is compared first: the few "
          "ranks of low levels would repeat. Ranks are in the upper half of what the bound allows; "
          "from level 2 on, the tree is no chain of right children, nor the same whichever subtree "
          "is compared first.",
      .source = "Trees Made to Order, ACM ICPC East Central North America 2001 (POJ 1095)",
  };

  static constexpr std::int64_t kMaxRank = std::int64_t{1} << 61;
  static constexpr std::int64_t kFewRanks = 6;
  static constexpr int kDraws = 1000;
  static constexpr int kMaxNodes = 35;  // smaller trees have enough ranks

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    std::optional<std::string> letter;  // X
    std::optional<bool> right_first;    // whether right subtrees are compared before left ones
    REDQUEEN_FIELDS(MAX_N, N, letter, right_first)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_half(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          return Problem{.MAX_N = config.MAX_N,
                         .N = draw_upper_half(1, config.MAX_N, rng),
                         .letter = std::string(1, static_cast<char>('A' + rng.below(26))),
                         .right_first = rng.chance(0.5)};
        },
        [&](const Problem& draft) {
          return config.MAX_N < kFewRanks || !some_rule_solves<Kth_BinaryTree>(draft);
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    return {
        .MAX_N = config.MAX_N, .N = rng.integer(1, config.MAX_N), .letter = {}, .right_first = {}};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxRank));
    if (problem.letter &&
        (problem.letter->size() != 1 || (*problem.letter)[0] < 'A' || (*problem.letter)[0] > 'Z')) {
      return failure("\"letter\": expected one of A to Z");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    const bool right_first = problem.right_first.value_or(false);
    const char x = letter_of(problem);
    return fmt::format(
        "A binary tree is empty, or it is a node with a left and a right subtree, which are binary "
        "trees. All binary trees are ranked. The empty tree has rank 0. Of two trees of different "
        "sizes, the one with fewer nodes comes first. Of two trees with as many nodes, the one "
        "with the {2} subtree of lower rank comes first, or, if these are the same, the one with "
        "the {3} subtree of lower rank. So the tree of one node has rank 1, and the trees of two "
        "nodes have the ranks 2 and 3.\n"
        "A tree that is not empty is written as its left subtree in parentheses, the letter {0}, "
        "and its right subtree in parentheses; an empty subtree is left out together with its "
        "parentheses. So {0}({0}) is a node with nothing but a right child, and it has rank {4}.\n"
        "Which tree has rank {1}?\n"
        "Answer with the tree, written in this way, without spaces.",
        x, problem.N, right_first ? "right" : "left", right_first ? "left" : "right",
        right_first ? 3 : 2);
  }

  static std::optional<Answer> parse(std::string_view text) { return std::string(trim(text)); }

  static double score(const Problem& problem, const Answer& answer) {
    const std::array allowed{letter_of(problem), '(', ')'};
    for (const char c : answer) {
      if (std::ranges::find(allowed, c) == allowed.end()) return kInvalidReward;
    }
    return exact_reward(answer == solve(problem));
  }

  static Answer solve(const Problem& problem) {
    Answer text;
    write(problem, problem.N, text);
    return text;
  }

  // A tree of about the size of the right one.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    Problem other = problem;
    other.N = rng.integer(1, problem.N + std::min<std::int64_t>(problem.N, 8));
    return solve(other);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const int nodes = place_of(problem.N).nodes;
    Problem turned = problem;
    turned.right_first = !problem.right_first.value_or(false);
    Answer chain(1, letter_of(problem));
    for (int i = 1; i < nodes; ++i) chain += {'(', letter_of(problem)};
    chain.append(static_cast<std::size_t>(nodes) - 1, ')');
    return {{"the other subtree compared first", solve(turned)}, {"right children only", chain}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static char letter_of(const Problem& problem) {
    return problem.letter ? problem.letter->front() : 'X';
  }

  // Catalan's numbers: how many trees have 0, 1, … nodes.
  static constexpr auto kTrees = [] {
    std::array<std::int64_t, kMaxNodes + 1> trees{1};
    for (int n = 1; n <= kMaxNodes; ++n) {
      for (int left = 0; left < n; ++left) trees[n] += trees[left] * trees[n - 1 - left];
    }
    return trees;
  }();

  struct Place {
    int nodes = 0;
    std::int64_t before = 0;  // trees of as many nodes that come before it
  };

  static Place place_of(std::int64_t rank) {
    Place place{.nodes = 0, .before = rank};
    for (; place.before >= kTrees[place.nodes]; ++place.nodes) {
      place.before -= kTrees[place.nodes];
    }
    return place;
  }

  static std::int64_t rank_of(const Place& place) {
    std::int64_t rank = place.before;
    for (int n = 0; n < place.nodes; ++n) rank += kTrees[n];
    return rank;
  }

  // Recursion is no deeper than kMaxNodes.
  static void write(const Problem& problem, std::int64_t rank, std::string& text) {
    Place whole = place_of(rank);
    Place first;  // the subtree that is compared first
    while (whole.before >= kTrees[first.nodes] * kTrees[whole.nodes - 1 - first.nodes]) {
      whole.before -= kTrees[first.nodes] * kTrees[whole.nodes - 1 - first.nodes];
      ++first.nodes;
    }
    Place second{.nodes = whole.nodes - 1 - first.nodes, .before = 0};
    first.before = whole.before / kTrees[second.nodes];
    second.before = whole.before % kTrees[second.nodes];
    const auto write_part = [&](const Place& part) {
      if (part.nodes == 0) return;
      text += '(';
      write(problem, rank_of(part), text);
      text += ')';
    };
    const bool right_first = problem.right_first.value_or(false);
    write_part(right_first ? second : first);
    text += letter_of(problem);
    write_part(right_first ? first : second);
  }
};
REDQUEEN_ENVIRONMENT(Kth_BinaryTree);

}  // namespace
}  // namespace redqueen
