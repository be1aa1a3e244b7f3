#include <algorithm>

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

struct PalindromePartitionCounting : StoredCount<1> {
  static constexpr Card card{
      .name = "PalindromePartitionCounting",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the ways to cut a binary string into palindromes.",
      .levels =
          "The string grows from 5 characters by a tenth and one a level. Beyond level 40 the "
          "reference solution would take too long.",
      .rewards = "-1 malformed or not positive, else (min/max)^10 of the answer and the number.",
      .differences =
          "Both characters occur, and from 7 characters on each at least twice. Of several draws "
          "of a short string, each number among them is as likely. Only the exact number is "
          "solved.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "At level 0, the number is 4, 5, 6 or 8. Up to level 4, the number that is right most "
          "often also earns for being close to others, a quarter at level 2.",
      .guess_until_level = 4,
      .max_level = 40,
  };

  static constexpr int kMaxLength = 2000;
  static constexpr int kTwiceFrom = 7;
  static constexpr int kManyCharacters = 10;
  static constexpr int kCandidates = 6;
  static constexpr int kFitsWord = 62;  // up to so many characters, the number fits 64 bits
  static constexpr int kDraws = 200;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::string S;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, S, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .S = {}, .reference_answer = 0};
      const double ones = rng.real(0.15, 0.85);
      for (int i = 0; i < config.N; ++i) problem.S += rng.chance(ones) ? '1' : '0';
      return problem;
    };
    const auto accept = [&](const Problem& drawn) {
      const auto ones = std::ranges::count(drawn.S, '1');
      return std::min<std::int64_t>(ones, config.N - ones) >= (config.N < kTwiceFrom ? 1 : 2);
    };
    using Candidate = std::optional<std::pair<BigInt, Problem>>;
    return draw_spread(config.N < kManyCharacters ? kCandidates : 1, rng, [&]() -> Candidate {
      Problem problem = draw_accepted(kDraws, draw, accept);
      problem.reference_answer = count(problem.S);
      return std::pair(problem.reference_answer, std::move(problem));
    });
  }

  // Characters in one of nine proportions, which may be all alike.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .S = {}, .reference_answer = 0};
    const double ones = static_cast<double>(rng.integer(1, 9)) / 10;
    for (int i = 0; i < config.N; ++i) problem.S += rng.chance(ones) ? '1' : '0';
    problem.reference_answer = count(problem.S);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(check_text("S", problem.S, problem.N, "01", "characters 0 or 1"));
    return reference_is("reference_answer", problem.reference_answer, count(problem.S));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} characters: {}\n"
        "In how many ways can it be cut into consecutive non-empty pieces each of which reads the "
        "same backwards? A single character does; leaving the string whole is a way if the whole "
        "does. Ways that cut at different places are different, even if their pieces are equal.\n"
        "Answer with the exact number, one integer.",
        problem.N, problem.S);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::vector<int> lengths = palindrome_lengths(problem.S);
    std::int64_t palindromes = 0;
    for (const int length : lengths) palindromes += (length + 1) / 2;
    return {{"N", format_answer(problem.N)},
            {"the palindromes in the string", format_answer(palindromes)}};
  }

 private:
  template <typename Number>
  static Number count_with(const std::string& s) {
    const std::vector<int> lengths = palindrome_lengths(s);
    const std::int64_t n = std::ssize(s);
    std::vector<Number> ways(s.size() + 1, Number(0));
    ways[0] = 1;
    for (std::int64_t end = 1; end <= n; ++end) {
      for (std::int64_t first = 0; first < end; ++first) {
        if (is_palindrome(lengths, first, end)) ways[end] += ways[first];
      }
    }
    return ways.back();
  }

  static BigInt count(const std::string& s) {
    if (s.size() <= kFitsWord) return BigInt(count_with<std::int64_t>(s));
    return count_with<BigInt>(s);
  }
};
REDQUEEN_ENVIRONMENT(PalindromePartitionCounting);

}  // namespace
}  // namespace redqueen
