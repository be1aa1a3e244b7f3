#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/sequence/palindromes.h"
#include "redqueen/gym/common/string/palindromic_tree.h"

namespace redqueen {
namespace {

struct VirusSynthesis {
  static constexpr Card card{
      .name = "VirusSynthesis",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Find the least number of operations that make a binary string of the empty one: adding "
          "a character at either end, or adding the reversed string at either end.",
      .levels =
          "The string has from M to 2M - 2 characters; M starts at 4 and grows by a tenth and one "
          "a level. Beyond level 80 it would be too long to read.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Characters are added to a part that was made with mirrors. Of several draws, each "
          "number among them is as likely. From M = 7 on most problems, and from M = 9 on all, are "
          "drawn again that are solved by mirroring only the longest palindrome, or by half of the "
          "length.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Up to level 3, strings have 12 characters at most and there are few numbers. Mirroring "
          "twice is better than once only where a palindrome of 8 or more is mirrored.",
      .guess_until_level = 3,
      .source = "CERC 2014, Virus synthesis.",
      .max_level = 80,
  };

  static constexpr int kCandidates = 8;
  static constexpr int kManyCharacters = 40;
  static constexpr int kRulesFrom = 7;
  static constexpr int kTwiceFrom = 9;
  static constexpr double kRedrawn = 0.93;
  static constexpr int kDraws = 20;

  struct Config {
    int loose_MAX_N = 0;
    REDQUEEN_FIELDS(loose_MAX_N)
  };
  struct Problem {
    std::string S;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(S, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.loose_MAX_N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    using Candidate = std::optional<std::pair<std::int64_t, Problem>>;
    const int candidates = config.loose_MAX_N < kManyCharacters ? kCandidates : 1;
    return draw_spread(candidates, rng, [&]() -> Candidate {
      for (int draw = 0; draw < kDraws; ++draw) {
        Problem problem{.S = draw_string(config.loose_MAX_N, rng), .reference_answer = 0};
        problem.reference_answer = fewest(problem.S);
        if (config.loose_MAX_N >= kRulesFrom && some_rule_solves<VirusSynthesis>(problem) &&
            (config.loose_MAX_N >= kTwiceFrom || rng.chance(kRedrawn))) {
          continue;
        }
        return std::pair(problem.reference_answer, std::move(problem));
      }
      return std::nullopt;
    });
  }

  // Characters are added and mirror images taken at either end, in random proportions, up to the
  // length or beyond it.
  static Problem published(const Config& config, Rng& rng) {
    std::array<double, 4> weights;
    for (double& weight : weights) weight = static_cast<double>(rng.integer(1, config.loose_MAX_N));
    Problem problem{.S = {}, .reference_answer = 0};
    while (std::ssize(problem.S) < config.loose_MAX_N) {
      const std::size_t operation = rng.weighted(weights);
      std::string added(problem.S.rbegin(), problem.S.rend());
      if (operation < 2) added = rng.chance(0.5) ? "1" : "0";
      problem.S.insert(operation % 2 == 0 ? 0 : problem.S.size(), added);
    }
    problem.reference_answer = fewest(problem.S);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("S", std::ssize(problem.S), 1, 4 * kMaxShownNumbers));
    if (problem.S.find_first_not_of("01") != std::string::npos) {
      return failure("\"S\": expected characters 0 or 1");
    }
    return reference_is("reference_answer", problem.reference_answer, fewest(problem.S));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Start with the empty string. One operation does one of the following to the string at "
        "hand:\n"
        "- It adds one character, 0 or 1, at its front or at its end.\n"
        "- It adds the string's own reverse at its front or at its end (01 becomes 1001 or "
        "0110).\n"
        "What is the least number of operations that makes the following string of {} characters?\n"
        "{}\n"
        "Answer with this number, one integer.",
        problem.S.size(), problem.S);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, std::ssize(problem.S));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto n = std::ssize(problem.S);
    const std::vector<int> lengths = palindrome_lengths(problem.S);
    std::int64_t longest = 0;  // of even length
    for (std::size_t gap = 0; gap < lengths.size(); gap += 2) {
      longest = std::max<std::int64_t>(longest, lengths[gap]);
    }
    return {
        {"every character added", n},
        {"the longest palindrome mirrored, once", n - std::max<std::int64_t>(0, longest / 2 - 1)},
        {"half of the length, and a mirror", (n + 1) / 2 + 1}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  using Tree = PalindromicTree<2>;

  // At least `least` characters, at most 2·least − 2: up to a drawn length it may be mirrored, from
  // there on characters are added.
  static std::string draw_string(int least, Rng& rng) {
    const double mirror = rng.real(0.2, 0.8);
    const auto length = static_cast<std::size_t>(rng.integer(least, 2 * least - 2));
    const auto mirrored_to = static_cast<std::size_t>(rng.integer(least / 2, 2 * least - 2));
    std::string s;
    while (s.size() < length) {
      if (!s.empty() && 2 * s.size() <= std::min(length, mirrored_to) && rng.chance(mirror)) {
        const std::string reversed(s.rbegin(), s.rend());
        s = rng.chance(0.5) ? s + reversed : reversed + s;
      } else {
        s.insert(rng.chance(0.5) ? s.begin() : s.end(), rng.chance(0.5) ? '0' : '1');
      }
    }
    return s;
  }

  // A palindrome of even length is best made by a mirror last. Its half is that of the palindrome
  // inside it with a character more, or grows out of the longest palindrome, no longer than itself,
  // that stands at its edge. What is left of s is added character by character.
  static std::int64_t fewest(const std::string& s) {
    const Tree tree(s, '0');
    std::vector<int> at_edge(static_cast<std::size_t>(tree.size()), Tree::kEmpty);
    std::vector<std::int64_t> operations(static_cast<std::size_t>(tree.size()), 0);
    operations[Tree::kEmpty] = 1;  // the mirror that is still to come
    auto best = std::ssize(s);
    for (int node = Tree::kFirst; node < tree.size(); ++node) {
      const Tree::Node& whole = tree[node];
      at_edge[node] = edge_palindrome(tree, s, node, at_edge[whole.parent]);
      operations[node] = whole.length;
      if (whole.length % 2 != 0) continue;
      const Tree::Node& edge = tree[at_edge[node]];
      const std::int64_t half = whole.length / 2;
      const std::int64_t grown =
          (edge.length == 0 ? 0 : operations[at_edge[node]]) + half - edge.length + 1;
      operations[node] = std::min(operations[whole.parent] + 1, grown);
      best = std::min(best, operations[node] + std::ssize(s) - whole.length);
    }
    return best;
  }

  // The longest palindrome at the edge of that of `node` that is at most half as long, from the one
  // at the edge of its parent.
  static int edge_palindrome(const Tree& tree, const std::string& s, int node, int of_parent) {
    const Tree::Node& whole = tree[node];
    if (whole.length <= 2) return whole.link;
    const char c = s[whole.end - 1];
    int inside = of_parent;
    while (s[whole.end - tree[inside].length - 2] != c ||
           2 * (tree[inside].length + 2) > whole.length) {
      inside = tree[inside].link;
    }
    return tree[inside].child[c - '0'];
  }
};
REDQUEEN_ENVIRONMENT(VirusSynthesis);

}  // namespace
}  // namespace redqueen
