#include <algorithm>
#include <limits>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/random_modulus.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct CatalanNumberMod : StoredResidue {
  static constexpr Card card{
      .name = "CatalanNumberMod",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo a number, the permutations whose elements ascend at odd places, ascend "
          "at even places, and ascend within each pair of neighbours that starts at an odd place.",
      .levels = "The bound on N starts at 3 and grows by a tenth and one each level.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "N lies in the upper half of its range and, above level 0, is at least 4. A modulus "
          "above the count is not drawn, unless that is below 10: it would do nothing, and leave "
          "a list of a few numbers to remember. Moduli by which the count is a binomial "
          "coefficient's, or 0, are drawn again.",
      .small_answer_space = "At level 0 there are two or five permutations.",
      .guess_until_level = 0,
      .source = "Fun sequences (有趣的数列), HNOI 2009; the counts are the Catalan numbers",
      .version = 2,
  };

  static constexpr std::int64_t kMaxN = 500'000;
  static constexpr std::int64_t kMaxModulus = 1'000'000'000;

  struct Config {
    int MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    int MAX_N = 0;
    std::int64_t N = 0;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N, N, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.MAX_N = config.MAX_N,
                      .N = draw_upper_half(config.MAX_N < 4 ? 2 : 4, config.MAX_N, rng)};
      const double permutations =
          problem.N <= kLargestExact ? static_cast<double>(exact(problem.N)) : double(kMaxModulus);
      problem.MOD = draw_modulus(std::max(permutations, 10.0), 2, kMaxModulus, rng);
      problem.reference_answer = count(problem.N, problem.MOD);
      // There are N + 1 times as many choices of N of the numbers, which some moduli do not tell
      // apart.
      if (problem.reference_answer * problem.N % problem.MOD == 0) return std::nullopt;
      return problem;
    });
  }

  // N and the modulus are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N,
                    .N = rng.integer(2, config.MAX_N),
                    .MOD = rng.integer(2, kMaxModulus)};
    problem.reference_answer = count(problem.N, problem.MOD);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    return reference_is("reference_answer", problem.reference_answer,
                        count(problem.N, problem.MOD));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Count the permutations A[1], …, A[{1}] of the numbers 1 to {1} with these three "
        "properties:\n"
        "1. The elements at odd places ascend: A[1] < A[3] < A[5] and so on.\n"
        "2. The elements at even places ascend: A[2] < A[4] < A[6] and so on.\n"
        "3. A[2i-1] < A[2i] for each i from 1 to {0}.\n"
        "{2}",
        problem.N, 2 * problem.N, ask_for_count_residue(problem.MOD));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    if (problem.N > 30) return {};
    std::int64_t choices = 1;  // C(2N, N)
    std::int64_t pairings = 1;
    for (std::int64_t i = 1; i <= problem.N; ++i) {
      choices = choices * (2 * (2 * i - 1)) / i;
      pairings = pairings * ((2 * i - 1) % problem.MOD) % problem.MOD;
    }
    return {{"all choices of the elements at odd places", format_answer(choices % problem.MOD)},
            {"all ways to pair the numbers", format_answer(pairings)}};
  }

 private:
  static constexpr std::int64_t kLargestExact = 35;  // the last Catalan number in 64 bits

  static std::int64_t exact(std::int64_t n) {
    Int128 catalan = 1;
    for (std::int64_t i = 1; i <= n; ++i) catalan = catalan * (2 * (2 * i - 1)) / (i + 1);
    return static_cast<std::int64_t>(catalan);
  }

  // (2N)! / (N! (N + 1)!), prime by prime: the modulus need not be prime.
  static std::int64_t count(std::int64_t n, std::int64_t modulus) {
    if (n <= kLargestExact) return exact(n) % modulus;
    const auto exponent_in_factorial = [](std::int64_t of, std::int64_t prime) {
      std::int64_t exponent = 0;
      for (of /= prime; of > 0; of /= prime) exponent += of;
      return exponent;
    };
    std::int64_t product = 1 % modulus;
    for (const std::int64_t prime : primes_up_to(static_cast<int>(2 * n))) {
      const std::int64_t exponent = exponent_in_factorial(2 * n, prime) -
                                    exponent_in_factorial(n, prime) -
                                    exponent_in_factorial(n + 1, prime);
      for (std::int64_t i = 0; i < exponent; ++i) product = product * prime % modulus;
    }
    return product;
  }
};
REDQUEEN_ENVIRONMENT(CatalanNumberMod);

}  // namespace
}  // namespace redqueen
