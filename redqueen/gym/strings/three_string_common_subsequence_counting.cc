#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct ThreeStringCommonSubsequenceCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "ThreeStringCommonSubsequenceCounting",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the different strings that are a subsequence of each of three given strings.",
      .levels = "The bound on the strings' lengths starts at 3 and grows by one a level.",
      .rewards =
          "-1 malformed or negative, else (min/max)^10 of the answer and the number; beside a "
          "small number its neighbours earn something.",
      .differences =
          "Lengths lie in the upper quarter of their range, and the strings resemble each other "
          "more or less. Of several draws, each number among them is as likely. From 5 letters on, "
          "every string holds both letters, and most problems are drawn again in which two of the "
          "strings have as many common subsequences as all three, or the shortest has as many "
          "letters. Only the exact number is solved.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "At level 0 there are seven numbers at most. At level 2 there are about a dozen, most "
          "of them below 8, and of most such triples, two strings have no more in common than "
          "all three. At level 3, one number is right in a fifth of the problems.",
      .guess_until_level = 3,
  };

  static constexpr int kCandidates = 3;
  static constexpr int kFewLetters = 6;
  static constexpr int kManyCandidates = 6;
  static constexpr int kManyLetters = 16;
  static constexpr int kDraws = 40;
  static constexpr int kRulesFrom = 5;
  static constexpr double kRules = 0.03;  // how often a rule may solve a problem
  static constexpr int kFitsWord = 88;    // so many letters have less than 2^63 subsequences
  static constexpr int kMaxLength = 110;

  struct Config {
    int MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::vector<std::string> S;
    BigInt reference_answer;
    REDQUEEN_FIELDS(S, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    using Candidate = std::optional<std::pair<BigInt, Problem>>;
    const int candidates = config.MAX_N < kFewLetters    ? kManyCandidates
                           : config.MAX_N < kManyLetters ? kCandidates
                                                         : 1;
    return draw_spread(candidates, rng, [&]() -> Candidate {
      for (int draw = 0; draw < kDraws; ++draw) {
        Problem problem{.S = draw_strings(config.MAX_N, rng), .reference_answer = 0};
        const Counter counter(problem.S);
        problem.reference_answer = counter.common(0, 1, 2);
        if (config.MAX_N >= kRulesFrom &&
            (!have_both_letters(problem.S) ||
             (!rng.chance(kRules) && follows_from_less(problem, counter)))) {
          continue;
        }
        return std::pair(problem.reference_answer, std::move(problem));
      }
      return std::nullopt;
    });
  }

  // Uniform lengths from 3, and letters in one proportion of any kind.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.S = std::vector<std::string>(3), .reference_answer = 0};
    const double share = rng.real();
    for (std::string& s : problem.S) {
      for (std::int64_t left = rng.integer(3, config.MAX_N); left > 0; --left) {
        s += rng.chance(share) ? 'a' : 'b';
      }
    }
    problem.reference_answer = Counter(problem.S).common(0, 1, 2);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.S.size() != 3) return failure("\"S\": expected 3 strings");
    for (const std::string& s : problem.S) {
      RETURN_IF_ERROR(within("S", std::ssize(s), 1, kMaxLength));
      if (s.find_first_not_of("ab") != std::string::npos) {
        return failure("\"S\": expected letters a and b");
      }
    }
    return reference_is("reference_answer", problem.reference_answer,
                        Counter(problem.S).common(0, 1, 2));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A string is a subsequence of another if it remains when some letters, or none, are "
        "deleted from the other and the rest keep their order. Here are three strings:\n"
        "{}\n{}\n{}\n"
        "How many different non-empty strings are a subsequence of each of the three? A string "
        "counts once, in however many ways it can be obtained.\n"
        "Answer with this number, one integer.",
        problem.S[0], problem.S[1], problem.S[2]);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Counter counter(problem.S);
    const int least = shortest(problem.S);
    return {{"of the first two alone", format_answer(counter.common(0, 1))},
            {"of the last two alone", format_answer(counter.common(1, 2))},
            {"of the first and the last alone", format_answer(counter.common(0, 2))},
            {"of the shortest alone", format_answer(counter.common(least))},
            {"the length of the shortest", format_answer(std::ssize(problem.S[least]))}};
  }

 private:
  // Each string repeats a common one up to its length, but for letters drawn anew.
  static std::vector<std::string> draw_strings(int longest, Rng& rng) {
    const double share = rng.real(0.35, 0.65);
    const double alike = rng.real(0.0, 0.7);
    std::string common;
    for (int i = 0; i < longest; ++i) common += rng.chance(share) ? 'a' : 'b';
    std::vector<std::string> strings;
    for (int i = 0; i < 3; ++i) {
      std::string s = common.substr(0, rng.integer(longest - longest / 4, longest));
      for (char& c : s) {
        if (!rng.chance(alike)) c = rng.chance(share) ? 'a' : 'b';
      }
      strings.push_back(std::move(s));
    }
    return strings;
  }

  static bool have_both_letters(const std::vector<std::string>& strings) {
    return std::ranges::all_of(strings, [](const std::string& s) {
      return s.find('a') != std::string::npos && s.find('b') != std::string::npos;
    });
  }

  static int shortest(const std::vector<std::string>& strings) {
    const auto found = std::ranges::min_element(strings, {}, &std::string::size);
    return static_cast<int>(found - strings.begin());
  }

  // Common subsequences of three strings or of some of them.
  class Counter {
   public:
    static constexpr int kAny = 3;  // no string: everything is a subsequence

    // Three strings of at most kMaxLength letters a and b.
    explicit Counter(const std::vector<std::string>& strings) {
      for (int i = 0; i < 3; ++i) steps_[i].read(strings[i]);
      steps_[kAny].next[0] = {0, 0};
    }

    BigInt common(int first, int second = kAny, int third = kAny) const {
      const Steps& a = steps_[first];
      const Steps& b = steps_[second];
      const Steps& c = steps_[third];
      if (a.places <= kFitsWord) return BigInt(count<std::int64_t>(a, b, c));
      return BigInt(count<Int128>(a, b, c));
    }

   private:
    // Where to go on after each letter, from each place of a string. −1: it does not follow.
    struct Steps {
      std::array<std::array<int, 2>, kMaxLength + 1> next;
      int places = 1;

      void read(const std::string& s) {
        places = static_cast<int>(s.size()) + 1;
        next[s.size()] = {-1, -1};
        for (int place = places - 2; place >= 0; --place) {
          next[place] = next[place + 1];
          next[place][s[place] - 'a'] = place + 1;
        }
      }
    };

    // A common subsequence is read at the earliest places it can be in each string. Those that go
    // on from a triple of places are the empty one and, for each letter, those that go on from its
    // next places.
    template <typename Number>
    static Number count(const Steps& first, const Steps& second, const Steps& third) {
      const int plane = second.places * third.places;
      std::vector<Number> goes_on(static_cast<std::size_t>(first.places) * plane);
      for (int u = first.places - 1; u >= 0; --u) {
        for (int v = second.places - 1; v >= 0; --v) {
          for (int w = third.places - 1; w >= 0; --w) {
            Number sum = 1;
            for (const int letter : {0, 1}) {
              const int a = first.next[u][letter];
              const int b = second.next[v][letter];
              const int c = third.next[w][letter];
              if (a >= 0 && b >= 0 && c >= 0) sum += goes_on[a * plane + b * third.places + c];
            }
            goes_on[u * plane + v * third.places + w] = sum;
          }
        }
      }
      return goes_on[0] - 1;
    }

    std::array<Steps, 4> steps_;
  };

  // Whether two of the strings have as many in common as all three, or the shortest has as many
  // letters.
  static bool follows_from_less(const Problem& problem, const Counter& counter) {
    const BigInt& right = problem.reference_answer;
    return right == problem.S[shortest(problem.S)].size() || counter.common(0, 1) == right ||
           counter.common(1, 2) == right || counter.common(0, 2) == right;
  }
};
REDQUEEN_ENVIRONMENT(ThreeStringCommonSubsequenceCounting);

}  // namespace
}  // namespace redqueen
