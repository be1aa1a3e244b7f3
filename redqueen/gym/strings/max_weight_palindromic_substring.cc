#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/text.h"
#include "redqueen/gym/common/string/borders.h"
#include "redqueen/gym/common/string/palindromic_tree.h"

namespace redqueen {
namespace {

struct MaxWeightPalindromicSubstring {
  static constexpr Card card{
      .name = "MaxWeightPalindromicSubstring",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kMaximise,
      .task =
          "Find the palindrome in a string whose length times its number of occurrences is "
          "greatest.",
      .levels =
          "The string grows from 3 letters by a tenth and one a level. Beyond level 80 it would be "
          "too long to read.",
      .rewards =
          "-1 no answer, -0.5 no palindrome, 0 one that does not occur, else (product / greatest "
          "product)^5.",
      .differences =
          "Below 12 letters there is one best palindrome, and of several draws each is as likely; "
          "longer strings hold one palindrome many times. From 8 letters on, a string is drawn "
          "again that the more frequent letter, the longest palindrome or the longest run solves, "
          "from 12 on also one that the most frequent palindrome of two letters or more solves; "
          "and both letters make up a fifth at least.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Strings of less than 12 letters, up to level 7, have few palindromes: the longest is "
          "often the best up to level 4, the most frequent one of two letters or more up to "
          "level 7.",
      .guess_until_level = 7,
      .source = "APIO 2014, Palindrome.",
      .max_level = 80,
  };

  static constexpr int kRulesFrom = 8;
  static constexpr int kPlantedFrom = 12;
  static constexpr std::size_t kShortRules = 3;
  static constexpr int kCandidates = 5;
  static constexpr int kDraws = 500;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::string S;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, S, gold_answer)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto draw = [&] {
      return Problem{.N = n,
                     .S = n < kPlantedFrom ? random_letters(n, rng) : planted_string(n, rng),
                     .gold_answer = 0};
    };
    const auto accept = [&](Problem& problem) {
      const auto a = std::ranges::count(problem.S, 'a');
      if (n >= kRulesFrom && std::min(a, n - a) < n / 5) return false;
      const Palindromes all(problem.S);
      problem.gold_answer = all.best_weight;
      if (n < kPlantedFrom && all.best_count > 1) return false;
      auto tried = rules_of(problem.S, all);
      tried.resize(n < kRulesFrom ? 0 : n < kPlantedFrom ? kShortRules : tried.size());
      return std::ranges::none_of(
          tried, [&](const auto& rule) { return score(problem, rule.answer) >= kSolvedReward; });
    };
    using Candidate = std::optional<std::pair<Answer, Problem>>;
    return draw_spread(n < kPlantedFrom ? kCandidates : 1, rng, [&]() -> Candidate {
      Problem problem = draw_accepted(kDraws, draw, accept);
      Answer answer = solve(problem);
      return std::pair(std::move(answer), std::move(problem));
    });
  }

  // Random letters.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .S = random_letters(config.N, rng), .gold_answer = 0};
    problem.gold_answer = Palindromes(problem.S).best_weight;
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, 4 * kMaxShownNumbers));
    RETURN_IF_ERROR(check_text("S", problem.S, problem.N, "ab", "letters a or b"));
    return reference_is("gold_answer", problem.gold_answer, Palindromes(problem.S).best_weight);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} letters: {}\n"
        "A palindrome reads the same backwards; a single letter is one. A palindrome T that is a "
        "contiguous block of the string has the weight |T| · c, where |T| is its length and c the "
        "number of places at which it begins in the string; occurrences that overlap all count. "
        "Which T has the greatest weight? If several have it, any of them will do.\n"
        "Answer with T itself, without spaces or quotes.",
        problem.N, problem.S);
  }

  static std::optional<Answer> parse(std::string_view text) { return Answer(trim(text)); }

  static double score(const Problem& problem, const Answer& answer) {
    if (!std::equal(answer.begin(), answer.end(), answer.rbegin())) return kInvalidReward;
    if (answer.empty()) return 0.0;
    return maximise_reward(std::ssize(answer) * occurrences(answer, problem.S),
                           problem.gold_answer);
  }

  static Answer solve(const Problem& problem) { return Palindromes(problem.S).best(); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const Palindromes all(problem.S);
    return all.text(static_cast<int>(rng.integer(Tree::kFirst, all.tree.size() - 1)));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules_of(problem.S, Palindromes(problem.S)));
  }

 private:
  using Tree = PalindromicTree<2>;

  struct Palindromes {
    std::string_view s;
    Tree tree;
    int best_node = 0;
    std::int64_t best_weight = 0;
    int best_count = 0;  // palindromes of this weight

    explicit Palindromes(std::string_view letters) : s(letters), tree(letters) {
      for (int node = Tree::kFirst; node < tree.size(); ++node) {
        const std::int64_t weight = std::int64_t{tree[node].length} * tree[node].occurrences;
        if (weight > best_weight) {
          best_weight = weight;
          best_node = node;
          best_count = 0;
        }
        best_count += weight == best_weight;
      }
    }

    std::string best() const { return text(best_node); }

    std::string text(int node) const {
      return std::string(s.substr(tree[node].end - tree[node].length, tree[node].length));
    }
  };

  static std::int64_t occurrences(const std::string& piece, const std::string& s) {
    if (piece.size() > s.size()) return 0;
    const std::vector<int> borders = border_lengths(piece);
    std::int64_t count = 0;
    int matched = 0;
    for (const char c : s) {
      if (matched == std::ssize(piece)) matched = borders[matched];
      while (matched > 0 && piece[matched] != c) matched = borders[matched];
      if (piece[matched] == c) ++matched;
      count += matched == std::ssize(piece);
    }
    return count;
  }

  static std::vector<SimpleRule<Answer>> rules_of(const std::string& s, const Palindromes& all) {
    const auto a = std::ranges::count(s, 'a');
    const auto n = std::ssize(s);
    int longest = Tree::kFirst;
    int frequent = Tree::kFirst;
    for (int node = Tree::kFirst; node < all.tree.size(); ++node) {
      const auto& palindrome = all.tree[node];
      if (palindrome.length > all.tree[longest].length) longest = node;
      if (palindrome.length > 1 && (all.tree[frequent].length < 2 ||
                                    palindrome.occurrences > all.tree[frequent].occurrences)) {
        frequent = node;
      }
    }
    std::string run;
    for (std::ptrdiff_t i = 0, first = 0; i < n; ++i) {
      if (s[i] != s[first]) first = i;
      if (i + 1 - first > std::ssize(run)) run = s.substr(first, i + 1 - first);
    }
    return {{"the more frequent letter", 2 * a >= n ? "a" : "b"},
            {"the longest palindrome", all.text(longest)},
            {"the longest run of a letter", run},
            {"the most frequent palindrome of two letters or more", all.text(frequent)}};
  }

  static std::string random_letters(std::int64_t length, Rng& rng) {
    const double share = rng.real(0.3, 0.7);
    std::string letters;
    for (std::int64_t i = 0; i < length; ++i) letters += rng.chance(share) ? 'a' : 'b';
    return letters;
  }

  // A palindrome again and again, with few letters between.
  static std::string planted_string(int n, Rng& rng) {
    const std::int64_t length = rng.integer(3, std::max<std::int64_t>(3, n / 3));
    std::string half = random_letters((length + 1) / 2, rng);
    std::string piece = half;
    piece.append(half.rbegin() + length % 2, half.rend());
    std::string s = random_letters(rng.integer(0, 2), rng);
    while (std::ssize(s) < n) s += piece + random_letters(rng.integer(0, 1 + length / 4), rng);
    s.resize(n);
    return s;
  }
};
REDQUEEN_ENVIRONMENT(MaxWeightPalindromicSubstring);

}  // namespace
}  // namespace redqueen
