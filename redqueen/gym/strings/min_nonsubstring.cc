#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/text.h"

namespace redqueen {
namespace {

struct MinNonsubstring {
  static constexpr Card card{
      .name = "MinNonsubstring",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kExact,
      .task =
          "Find the shortest string of a and b that is no piece of a given one, and among those "
          "the lexicographically smallest.",
      .levels = "The string has 3 letters and one more a level.",
      .rewards = "-0.5 other characters, 0 wrong, 1 right.",
      .differences =
          "Strings are drawn that hold more different pieces than random ones, and of several "
          "draws each answer among them is as likely. From 5 letters on, the answer is in half of "
          "the problems no run of one letter.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Up to 6 letters, there are at most nine answers, of which only ab, ba, aab and aba do "
          "not follow from the longest runs of a and of b; up to level 10, with 13 letters, one "
          "answer is right in about a fifth of the problems.",
      .guess_until_level = 10,
  };

  static constexpr int kDraws = 24;
  static constexpr int kFewLetters = 5;
  static constexpr double kRuns = 0.5;  // how often the answer may be a run of one letter

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::string A;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, A, reference_answer)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    using Candidate = std::optional<std::pair<std::string, Problem>>;
    const bool may_be_run = config.N < kFewLetters || rng.chance(kRuns);
    return draw_spread(kDraws, rng, [&]() -> Candidate {
      Problem problem{.N = config.N, .A = draw_string(config.N, rng), .reference_answer = {}};
      problem.reference_answer = smallest_missing(problem.A);
      if (!may_be_run && some_rule_solves<MinNonsubstring>(problem)) return std::nullopt;
      return std::pair(problem.reference_answer, std::move(problem));
    });
  }

  // Letters in a proportion of any kind: the answer is mostly a or b.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}, .reference_answer = {}};
    const double share = rng.real();
    for (int i = 0; i < config.N; ++i) problem.A += rng.chance(share) ? 'b' : 'a';
    problem.reference_answer = smallest_missing(problem.A);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, 4 * kMaxShownNumbers));
    RETURN_IF_ERROR(check_text("A", problem.A, problem.N, "ab", "letters a or b"));
    return reference_is("reference_answer", problem.reference_answer, smallest_missing(problem.A));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} letters: {}\n"
        "Consider the non-empty strings of letters a and b that do not occur in it as a contiguous "
        "piece. Take the shortest of them; if several are shortest, take the one that comes first "
        "in alphabetical order.\n"
        "Answer with this string, without spaces or quotes.",
        problem.N, problem.A);
  }

  static std::optional<Answer> parse(std::string_view text) { return Answer(trim(text)); }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.find_first_not_of("ab") != std::string::npos) return kInvalidReward;
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (std::int64_t i = rng.integer(1, likely_length(problem.N)); i > 0; --i) {
      answer += rng.chance(0.5) ? 'a' : 'b';
    }
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"one a more than in a row", longer_run(problem.A, 'a')},
            {"one b more than in a row", longer_run(problem.A, 'b')}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // The least length with more words than a string of n letters has letters.
  static int likely_length(int n) {
    int length = 1;
    while (std::int64_t{1} << length <= n) ++length;
    return length;
  }

  // Fair letters, except that a word of a drawn length that has occurred is avoided where the
  // other letter makes a new one, with a drawn probability.
  static std::string draw_string(int n, Rng& rng) {
    const std::int64_t length = rng.integer(1, likely_length(n));
    const double avoid = rng.real();
    const std::uint32_t mask = (1u << length) - 1;
    std::vector<char> seen(mask + 1u, 0);
    std::string s;
    std::uint32_t word = 0;
    for (int i = 0; i < n; ++i) {
      std::uint32_t next = (word << 1 | static_cast<std::uint32_t>(rng.bits() & 1)) & mask;
      if (i + 1 >= length) {
        if (seen[next] != 0 && seen[next ^ 1] == 0 && rng.chance(avoid)) next ^= 1;
        seen[next] = 1;
      }
      word = next;
      s += (word & 1) != 0 ? 'b' : 'a';
    }
    return s;
  }

  static std::string smallest_missing(std::string_view s) {
    for (int length = 1;; ++length) {
      const std::uint32_t mask = (1u << length) - 1;
      std::vector<char> seen(mask + 1u, 0);
      std::uint32_t word = 0;
      for (int i = 0; i < std::ssize(s); ++i) {
        word = (word << 1 | static_cast<std::uint32_t>(s[i] == 'b')) & mask;
        if (i + 1 >= length) seen[word] = 1;
      }
      for (std::uint32_t missing = 0; missing <= mask; ++missing) {
        if (seen[missing] != 0) continue;
        std::string found;
        for (int bit = length - 1; bit >= 0; --bit) {
          found += (missing >> bit & 1) != 0 ? 'b' : 'a';
        }
        return found;
      }
    }
  }

  static std::string longer_run(std::string_view s, char letter) {
    std::size_t longest = 0;
    std::size_t run = 0;
    for (const char c : s) {
      run = c == letter ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    return std::string(longest + 1, letter);
  }
};
REDQUEEN_ENVIRONMENT(MinNonsubstring);

}  // namespace
}  // namespace redqueen
