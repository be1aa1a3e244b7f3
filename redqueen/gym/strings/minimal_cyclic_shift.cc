#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MinimalCyclicShift {
  static constexpr Card card{
      .name = "MinimalCyclicShift",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kElementWise,
      .task = "Find the lexicographically smallest rotation of a binary string.",
      .levels = "The string has 4 characters and one more a level.",
      .rewards = "-1 another length or other characters, else (characters that are right / N)^10.",
      .differences =
          "Ones and zeros are about as frequent. From 6 characters on, the answer is neither the "
          "string itself nor its characters in ascending order. From 7 characters on, mostly, it "
          "does not begin at both the first and the last of the longest runs of zeros, and from 12 "
          "on at neither.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "There are few smallest rotations of short strings, 6 of 4 characters and 14 of 6. For "
          "the smallest to begin at neither the first nor the last longest run of zeros, there "
          "must be three of them: this leaves no string of 6 characters and 29 of 10, at level 6. "
          "So up to level 7 one of the two is right for about half of the problems.",
      .guess_until_level = 7,
      .source = "A standard task; K. S. Booth, Lexicographically least circular substrings, 1980.",
  };

  static constexpr int kFewCharacters = 6;
  static constexpr int kSomeCharacters = 7;
  static constexpr double kBothRuns = 0.2;  // for more than 24 strings of 7 characters
  static constexpr int kManyCharacters = 12;
  static constexpr int kDraws = 500;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;  // of the level; the string itself says how long it is
    std::string S;
    REDQUEEN_FIELDS(N, S)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .S = {}};
      const double ones = rng.real(0.35, 0.65);
      for (int i = 0; i < config.N; ++i) problem.S += rng.chance(ones) ? '1' : '0';
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (problem.S.find(problem.S[0] == '0' ? '1' : '0') == std::string::npos) return false;
      if (config.N < kFewCharacters) return true;
      const Answer smallest = solve(problem);
      const std::vector<SimpleRule<Answer>> tried = rules(problem);
      const auto solves = [&](int rule) { return tried[rule].answer == smallest; };
      if (solves(kItself) || solves(kSorted)) return false;
      if (config.N < kSomeCharacters) return true;
      const int runs = (solves(kFirstRun) ? 1 : 0) + (solves(kLastRun) ? 1 : 0);
      if (config.N >= kManyCharacters) return runs == 0;
      return runs < 2 || (config.N == kSomeCharacters && rng.chance(kBothRuns));
    });
  }

  // Characters in a proportion of any kind, which may be all alike.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .S = {}};
    const double ones = rng.real();
    for (int i = 0; i < config.N; ++i) problem.S += rng.chance(ones) ? '1' : '0';
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, 10 * kMaxShownNumbers));
    RETURN_IF_ERROR(within("S", std::ssize(problem.S), 1, 10 * kMaxShownNumbers));
    if (problem.S.find_first_not_of("01") == std::string::npos) return {};
    return failure("\"S\": expected characters 0 and 1");
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} characters: {}\n"
        "A step moves its first character to the end. Of all strings that any number of steps "
        "(none as well) can make of it, which is the lexicographically smallest?\n"
        "Answer with this string, without spaces.",
        problem.S.size(), problem.S);
  }

  static std::optional<Answer> parse(std::string_view text) { return Answer(trim(text)); }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.S.size() || answer.find_first_not_of("01") != std::string::npos) {
      return kMalformedReward;
    }
    const Answer smallest = solve(problem);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) matches += answer[i] == smallest[i];
    return share_reward(matches, std::ssize(answer));
  }

  // Two beginnings are compared; the one that loses after k equal characters takes with it the k
  // beginnings after it.
  static Answer solve(const Problem& problem) {
    const std::size_t n = problem.S.size();
    const auto at = [&](std::size_t i) { return problem.S[i < n ? i : i - n]; };
    std::size_t best = 0;
    std::size_t rival = 1;
    std::size_t equal = 0;
    while (best < n && rival < n && equal < n) {
      const char a = at(best + equal);
      const char b = at(rival + equal);
      if (a == b) {
        ++equal;
        continue;
      }
      (a < b ? rival : best) += equal + 1;
      if (best == rival) ++rival;
      equal = 0;
    }
    return rotated(problem.S, std::min(best, rival));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rotated(problem.S, rng.below(problem.S.size()));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer sorted = problem.S;
    std::ranges::sort(sorted);
    const std::size_t n = problem.S.size();
    std::size_t longest = 0;
    std::size_t first = 0;  // of the longest runs
    std::size_t last = 0;
    for (std::size_t i = 0, run = 0; i < 2 * n; ++i) {
      run = problem.S[i % n] == '0' ? run + 1 : 0;
      if (run > longest && run <= n) {
        longest = run;
        first = (i + 1 - run) % n;
      }
      const bool ends = problem.S[(i + 1) % n] == '1';
      if (run == longest && ends && i + 1 - run < n) last = i + 1 - run;
    }
    return {{"the string itself", problem.S},
            {"all zeros, then all ones", sorted},
            {"from the first longest run of zeros on", rotated(problem.S, first)},
            {"from the last longest run of zeros on", rotated(problem.S, last)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  enum Rule { kItself, kSorted, kFirstRun, kLastRun };  // places in rules()

  static std::string rotated(const std::string& s, std::size_t begin) {
    return s.substr(begin) + s.substr(0, begin);
  }
};
REDQUEEN_ENVIRONMENT(MinimalCyclicShift);

}  // namespace
}  // namespace redqueen
