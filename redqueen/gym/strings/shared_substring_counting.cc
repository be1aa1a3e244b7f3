#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/string/suffix_automaton.h"

namespace redqueen {
namespace {

struct SharedSubstringCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "SharedSubstringCounting",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the pairs of equal pieces of two strings, one piece of each.",
      .levels =
          "The bound on the strings' lengths starts at 10 and grows by a tenth and one a level. "
          "Beyond level 80 they would be too long to read.",
      .rewards =
          "-1 malformed or negative, else (min/max)^10 of the answer and the number. Twice the "
          "pairs of equal letters is an estimate that earns up to a third.",
      .differences =
          "Lengths lie in the upper half of their range, both strings hold both letters, about as "
          "often, and they consist of copies, of more or less length, of earlier letters and of S. "
          "Only the exact number is solved.",
      .max_level = 80,
  };

  static constexpr int kDraws = 200;
  static constexpr double kLongestCopies = 12.0;  // on average

  struct Config {
    int MAX_LEN = 0;
    REDQUEEN_FIELDS(MAX_LEN)
  };
  struct Problem {
    std::string S;
    std::string T;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(S, T, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_LEN = grow_by_tenth(10, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_accepted(
        kDraws,
        [&] {
          Problem drawn;
          drawn.S = draw_string(draw_upper_half(2, config.MAX_LEN, rng), {}, rng);
          drawn.T = draw_string(draw_upper_half(2, config.MAX_LEN, rng), drawn.S, rng);
          return drawn;
        },
        [](const Problem& drawn) { return has_both(drawn.S) && has_both(drawn.T); });
    problem.reference_answer = count(problem);
    return problem;
  }

  // Uniform lengths, and letters in proportions of any kind.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem;
    for (std::string* s : {&problem.S, &problem.T}) {
      const double share = rng.real();
      for (std::int64_t left = rng.integer(2, config.MAX_LEN); left > 0; --left) {
        *s += rng.chance(share) ? 'a' : 'b';
      }
    }
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    for (const std::string* s : {&problem.S, &problem.T}) {
      RETURN_IF_ERROR(within(s == &problem.S ? "S" : "T", std::ssize(*s), 1, 2 * kMaxShownNumbers));
      if (s->find_first_not_of("ab") != std::string::npos) {
        return failure("\"S\" and \"T\": expected letters a and b");
      }
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are two strings:\n"
        "S = {}\n"
        "T = {}\n"
        "A piece of a string is given by the place where it begins and the place where it ends; it "
        "is contiguous and has at least one letter. How many pairs of a piece of S and a piece of "
        "T are there that spell the same word? Pieces at different places are different, even if "
        "they spell the same word: a word that occurs 2 times in S and 3 times in T makes 6 "
        "pairs.\n"
        "Answer with this number, one integer.",
        problem.S, problem.T);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t letters = 0;  // pairs of equal letters
    for (const char c : {'a', 'b'}) {
      letters += std::ranges::count(problem.S, c) * std::ranges::count(problem.T, c);
    }
    return {{"the product of the lengths",
             format_answer(std::ssize(problem.S) * std::ssize(problem.T))},
            {"the pairs of equal letters", format_answer(letters)},
            {"twice the pairs of equal letters", format_answer(2 * letters)}};
  }

 private:
  static bool has_both(const std::string& s) {
    return s.find('a') != std::string::npos && s.find('b') != std::string::npos;
  }

  // Fresh letters and copies of pieces of `source` or, if that is empty, of itself; how long the
  // copies are is drawn.
  static std::string draw_string(std::int64_t length, const std::string& source, Rng& rng) {
    const double share = rng.real(0.3, 0.7);
    const double copied = 1.0 - 1.0 / rng.real(1.0, kLongestCopies);
    std::string s;
    std::size_t place = 0;
    while (std::ssize(s) < length) {
      const std::string& from = source.empty() ? s : source;
      if (!from.empty() && rng.chance(copied)) {
        if (place >= from.size()) place = rng.below(from.size());
        const char c = from[place++];
        s += c;
      } else {
        s += rng.chance(share) ? 'a' : 'b';
        place = from.size();
      }
    }
    return s;
  }

  // For each place of T, the occurrences in S of all pieces of T that end there.
  static std::int64_t count(const Problem& problem) {
    using Automaton = SuffixAutomaton<2>;
    const Automaton automaton(problem.S);
    std::int64_t pairs = 0;
    int state = Automaton::kRoot;
    std::int64_t length = 0;  // of the longest piece of S that T ends with, so far
    for (const char c : problem.T) {
      while (state != Automaton::kRoot && automaton[state].next[c - 'a'] < 0) {
        state = automaton[state].link;
        length = automaton[state].length;
      }
      if (automaton[state].next[c - 'a'] < 0) continue;
      state = automaton[state].next[c - 'a'];
      ++length;
      const Automaton::State& shorter = automaton[automaton[state].link];
      pairs += shorter.endings + (length - shorter.length) * automaton[state].occurrences;
    }
    return pairs;
  }
};
REDQUEEN_ENVIRONMENT(SharedSubstringCounting);

}  // namespace
}  // namespace redqueen
