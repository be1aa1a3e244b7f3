#include <algorithm>
#include <functional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/text.h"
#include "redqueen/gym/common/sequence/palindromes.h"

namespace redqueen {
namespace {

struct AntiPalindromicSubstringCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "AntiPalindromicSubstringCounting",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the substrings of a binary string that become their own reversal when every bit "
          "is flipped.",
      .levels =
          "The string grows from 3 characters by a tenth and one a level. Beyond level 80 it would "
          "be too long to read.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the number.",
      .differences =
          "No string is nearly constant. Of several draws of a short string, each number among "
          "them is as likely. From 6 characters on, a string is drawn again whose number is that "
          "of the neighbours that differ, from 12 on also if it is that of its characters, or one "
          "less. Only the exact number is solved.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Strings of up to 6 characters, which are those up to level 3, have at most 9 such "
          "substrings.",
      .guess_until_level = 3,
      .source = "POI XVII (2010), Antisymmetry (Antysymetria).",
      .max_level = 80,
  };

  static constexpr int kFewCharacters = 6;
  static constexpr int kManyCharacters = 12;
  static constexpr int kCandidates = 10;
  static constexpr int kDraws = 100;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::string S;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, S, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .S = draw_string(config.N, rng), .reference_answer = 0};
      problem.reference_answer = count(problem.S);
      return problem;
    };
    const auto accept = [&](const Problem& problem) {
      if (config.N < kFewCharacters) return true;
      auto tried = rules(problem);
      if (config.N < kManyCharacters) tried.resize(1);
      return std::ranges::none_of(
          tried, [&](const auto& rule) { return rule.answer == problem.reference_answer; });
    };
    using Candidate = std::optional<std::pair<std::int64_t, Problem>>;
    return draw_spread(config.N < kManyCharacters ? kCandidates : 1, rng, [&]() -> Candidate {
      Problem problem = draw_accepted(kDraws, draw, accept);
      return std::pair(problem.reference_answer, std::move(problem));
    });
  }

  // Pieces of random lengths: those of even length are antipalindromes, the others random.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .S = {}, .reference_answer = 0};
    std::vector<std::int64_t> ends = rng.sample(1, config.N - 1, rng.integer(0, config.N - 1));
    ends.push_back(config.N);
    std::ranges::sort(ends);
    const double ones = rng.real();
    for (const std::int64_t end : ends) {
      const std::int64_t length = end - std::ssize(problem.S);
      const bool mirror = length % 2 == 0;
      for (std::int64_t i = mirror ? length / 2 : length; i > 0; --i) {
        problem.S += rng.chance(ones) ? '1' : '0';
      }
      if (!mirror) continue;
      for (std::int64_t i = std::ssize(problem.S) - 1; std::ssize(problem.S) < end; --i) {
        problem.S += problem.S[i] == '0' ? '1' : '0';
      }
    }
    problem.reference_answer = count(problem.S);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, 4 * kMaxShownNumbers));
    RETURN_IF_ERROR(check_text("S", problem.S, problem.N, "01", "characters 0 or 1"));
    return reference_is("reference_answer", problem.reference_answer, count(problem.S));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A binary string is called anti-palindromic if reversing it gives the same string as "
        "replacing every 0 in it by 1 and every 1 by 0. (So 0011 and 0101 are anti-palindromic, "
        "0110 is not.)\n"
        "Here is a string of {} characters: {}\n"
        "How many of its non-empty contiguous substrings are anti-palindromic? Substrings at "
        "different places count separately, even if they are equal.\n"
        "Answer with one integer, which may be 0.",
        problem.N, problem.S);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::int64_t different = 0;
    for (int i = 1; i < problem.N; ++i) different += problem.S[i] != problem.S[i - 1];
    return {{"the neighbours that differ", different}, {"N - 1", problem.N - 1}, {"N", problem.N}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Blocks of random lengths; half of the even ones are anti-palindromic.
  static std::string draw_string(int n, Rng& rng) {
    const double ones = rng.real(0.2, 0.8);
    std::string s;
    while (std::ssize(s) < n) {
      const std::int64_t length = rng.integer(1, n - std::ssize(s));
      const bool mirrored = length % 2 == 0 && rng.chance(0.5);
      for (std::int64_t i = mirrored ? length / 2 : length; i > 0; --i) {
        s += rng.chance(ones) ? '1' : '0';
      }
      if (!mirrored) continue;
      for (std::int64_t i = std::ssize(s) - 1, left = length / 2; left > 0; --i, --left) {
        s += s[i] == '0' ? '1' : '0';
      }
    }
    return s;
  }

  // All that lie around the same gap are the endings and beginnings cut off the longest one.
  static std::int64_t count(const std::string& s) {
    const std::vector<int> lengths = mirrored_lengths(s, std::not_equal_to<char>());
    std::int64_t total = 0;
    for (std::size_t gap = 0; gap < lengths.size(); gap += 2) total += lengths[gap] / 2;
    return total;
  }
};
REDQUEEN_ENVIRONMENT(AntiPalindromicSubstringCounting);

}  // namespace
}  // namespace redqueen
