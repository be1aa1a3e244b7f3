#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct DoublePalindromicStringCounting : StoredCount<1> {
  static constexpr Card card{
      .name = "DoublePalindromicStringCounting",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the strings up to a length that can be cut into two palindromes, over an alphabet "
          "of a given size.",
      .levels =
          "The bound on the length grows from 3 by a tenth and one a level; the alphabet has 2 to "
          "5 letters. Beyond level 60 the number would have thousands of digits.",
      .rewards =
          "-1 malformed or not positive, else (min/max)^10 of the answer and the number. Long "
          "strings rarely have two such cuts, so that counting cuts in place of strings earns much "
          "from level 5 on, but solves nothing.",
      .differences =
          "The length lies in the upper half of what the bound allows, and is 3 at least from "
          "level 1 on. Only the exact number is solved.",
      .small_answer_space =
          "There are 8 problems at level 0 and 12 at level 2: 2 or 3 lengths and 4 alphabets.",
      .guess_until_level = 2,
      .source =
          "R. Kemp, On the number of words in the language {w in S* | w = w^R}^2, Discrete "
          "Mathematics 40, 1982.",
      .max_level = 60,
  };

  static constexpr std::array<std::int64_t, 4> kAlphabets{2, 3, 4, 5};
  static constexpr std::int64_t kMaxLength = 6000;
  static constexpr std::int64_t kMaxLetters = 26;

  struct Config {
    int MAX_N = 0;
    std::int64_t C = 0;
    REDQUEEN_FIELDS(MAX_N, C)
  };
  struct Problem {
    std::int64_t C = 0;
    std::int64_t N = 0;
    BigInt reference_answer;
    REDQUEEN_FIELDS(C, N, reference_answer)
  };

  static Config at_level(int level, Rng& rng) {
    return {.MAX_N = grow_by_tenth(3, level), .C = rng.choice(kAlphabets)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t least = config.MAX_N == 3 ? 2 : 3;
    Problem problem{
        .C = config.C, .N = draw_upper_half(least, config.MAX_N, rng), .reference_answer = 0};
    problem.reference_answer = count(problem);
    return problem;
  }

  // A uniform length.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.C = config.C, .N = rng.integer(2, config.MAX_N), .reference_answer = 0};
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("C", problem.C, 1, kMaxLetters));
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxLength));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A palindrome reads the same backwards; a single letter is one. Consider the strings over "
        "an alphabet of {} letter{} whose length is at most {}. How many of them can be cut into "
        "two non-empty pieces, one after the other, both of which are palindromes? A string that "
        "can be cut so at several places counts once.\n"
        "Answer with the exact number, one integer.",
        problem.C, problem.C == 1 ? "" : "s", problem.N);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::vector<BigInt> powers = powers_up_to(problem.C, problem.N);
    BigInt cuts = 0;
    BigInt palindromes = 0;
    BigInt strings = 0;
    for (std::int64_t n = 2; n <= problem.N; ++n) {
      cuts += (n - 1) / 2 * powers[(n + 1) / 2] + n / 2 * powers[n / 2 + 1];
      palindromes += powers[(n + 1) / 2];
      strings += powers[n];
    }
    return {{"pairs of palindromes", format_answer(cuts)},
            {"palindromes", format_answer(palindromes)},
            {"all strings of two letters or more", format_answer(strings)},
            {"N times the palindromes of length N",
             format_answer(BigInt(problem.N * powers[(problem.N + 1) / 2]))}};
  }

 private:
  // C^0 … C^n.
  static std::vector<BigInt> powers_up_to(std::int64_t c, std::int64_t n) {
    std::vector<BigInt> powers{1};
    for (std::int64_t i = 0; i < n; ++i) powers.push_back(powers.back() * c);
    return powers;
  }

  // A string of length n with a palindromic beginning, which may be empty, and ending, which may
  // not: Σ_{d|n} (n/d) P(d) pairs, if P(d) counts the primitive strings of length d that are so,
  // for each of them can be cut at one place, and its k-th power at k places. So P follows from the
  // number of pairs by inversion, and Σ_{d|n} P(d) strings remain. Those that can be cut at the
  // empty beginning alone are the primitive palindromes.
  static BigInt count(const Problem& problem) {
    const std::int64_t n = problem.N;
    const std::vector<BigInt> powers = powers_up_to(problem.C, (n + 1) / 2 + 1);
    std::vector<BigInt> primitive(static_cast<std::size_t>(n) + 1);    // P(d), from pairs
    std::vector<BigInt> palindromes(static_cast<std::size_t>(n) + 1);  // primitive ones
    for (std::int64_t d = 1; d <= n; ++d) {
      primitive[d] = d % 2 == 1 ? BigInt(d * powers[(d + 1) / 2])
                                : BigInt(d / 2 * (powers[d / 2] + powers[d / 2 + 1]));
      palindromes[d] = powers[(d + 1) / 2];
    }
    BigInt total = 0;
    for (std::int64_t d = 1; d <= n; ++d) {
      for (std::int64_t k = 2; k * d <= n; ++k) {
        primitive[k * d] -= k * primitive[d];
        palindromes[k * d] -= palindromes[d];
      }
      total += n / d * primitive[d] - palindromes[d];
    }
    return total;
  }
};
REDQUEEN_ENVIRONMENT(DoublePalindromicStringCounting);

}  // namespace
}  // namespace redqueen
