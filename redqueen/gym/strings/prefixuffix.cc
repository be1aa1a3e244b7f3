#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/text.h"
#include "redqueen/gym/common/sequence/palindromes.h"
#include "redqueen/gym/common/string/borders.h"

namespace redqueen {
namespace {

struct Prefixuffix {
  static constexpr Card card{
      .name = "Prefixuffix",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Find the greatest length, at most half of the string, such that the beginning and the "
          "ending of this length are rotations of each other.",
      .levels = "The string has 4 letters and one more a level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Both letters are about as frequent, and of several draws each answer among them is as "
          "likely; it may be 0. From 10 letters on, in four of five problems the answer is neither "
          "the greatest length with as many letters a in both pieces, nor that of the longest "
          "piece that the string both begins and ends with.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "There are N/2 + 1 answers, five up to level 5. Up to 9 letters, pieces with as many "
          "letters a are nearly always rotations of each other. Where the two rules fail, the "
          "answer lies between 2 and N/2 - 1; these are four answers at level 8 and five at level "
          "10.",
      .guess_until_level = 10,
      .source = "POI XIX (2012), Prefixuffix (Prefiksufiks).",
  };

  static constexpr int kDraws = 10;
  static constexpr int kManyDraws = 40;
  static constexpr int kManyLetters = 10;
  static constexpr double kRules = 0.2;  // how often the rules may solve a problem
  static constexpr int kMaxLength = 10'000;

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
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  // The pieces UV and VU are planted with a drawn length.
  static Problem generate(const Config& config, Rng& rng) {
    using Candidate = std::optional<std::pair<std::int64_t, Problem>>;
    const bool no_rule = config.N >= kManyLetters && !rng.chance(kRules);
    const int draws = config.N < kManyLetters ? kDraws : kManyDraws;
    return draw_spread(draws, rng, [&]() -> Candidate {
      Problem problem{.N = config.N, .S = {}, .reference_answer = 0};
      const double share = rng.real(0.4, 0.6);
      for (int i = 0; i < config.N; ++i) problem.S += rng.chance(share) ? 'a' : 'b';
      const std::int64_t length = rng.integer(0, config.N / 2);
      const std::int64_t first = rng.integer(0, length);
      for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t to = i < first ? config.N - first + i : config.N - length + i - first;
        problem.S[to] = problem.S[i];
      }
      problem.reference_answer = longest(problem.S);
      if (no_rule && some_rule_solves<Prefixuffix>(problem)) return std::nullopt;
      return std::pair(problem.reference_answer, std::move(problem));
    });
  }

  // A random piece at the beginning, and at the end one of its rotations, of at least one letter.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .S = {}, .reference_answer = 0};
    const double share = rng.real();
    const std::int64_t length = rng.integer(1, config.N / 2);
    const std::int64_t first = rng.integer(0, length);
    for (std::int64_t i = config.N - length; i > 0; --i) problem.S += rng.chance(share) ? 'a' : 'b';
    problem.S += problem.S.substr(first, length - first) + problem.S.substr(0, first);
    problem.reference_answer = longest(problem.S);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(check_text("S", problem.S, problem.N, "ab", "letters a or b"));
    return reference_is("reference_answer", problem.reference_answer, longest(problem.S));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} letters: {}\n"
        "A string is a rotation of another if it can be made of it by moving some letters (none, "
        "too) from its front to its end, in the same order. What is the greatest L, from 0 to {}, "
        "such that the first L letters of the string are a rotation of its last L letters? L = 0 "
        "always counts.\n"
        "Answer with L, one integer.",
        problem.N, problem.S, problem.N / 2);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.N / 2);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::string& s = problem.S;
    const int half = problem.N / 2;
    std::int64_t border = 0;
    for (const int length : all_borders(s)) {
      if (length <= half) {
        border = length;
        break;
      }
    }
    std::int64_t as_many = 0;
    int excess = 0;
    for (int length = 1; length <= half; ++length) {
      excess += (s[length - 1] == 'a' ? 1 : 0) - (s[problem.N - length] == 'a' ? 1 : 0);
      if (excess == 0) as_many = length;
    }
    return {{"the longest equal beginning and ending", border},
            {"the longest with as many letters a", as_many}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::vector<NamedAnswer> named = as_shortcuts(rules(problem));
    named.push_back({"half of the length", format_answer(problem.N / 2)});
    return named;
  }

 private:
  // Letters are taken in turn from the front and from the back. Then UV and VU become two
  // palindromes of even length, one after the other, either of which may be empty.
  static std::int64_t longest(const std::string& s) {
    const std::int64_t n = std::ssize(s);
    std::string taken;
    for (std::int64_t i = 0; i < n / 2; ++i) {
      taken += s[i];
      taken += s[n - 1 - i];
    }
    const std::vector<int> lengths = palindrome_lengths(taken);
    std::vector<std::int64_t> firsts;  // where a palindrome from the front on ends
    for (std::int64_t end = 0; end <= std::ssize(taken); end += 2) {
      if (is_palindrome(lengths, 0, end)) firsts.push_back(end);
    }
    for (std::int64_t end = std::ssize(taken); end > 0; end -= 2) {
      for (const std::int64_t first : firsts) {
        if (first <= end && is_palindrome(lengths, first, end)) return end / 2;
      }
    }
    return 0;
  }
};
REDQUEEN_ENVIRONMENT(Prefixuffix);

}  // namespace
}  // namespace redqueen
