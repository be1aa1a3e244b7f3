#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/prime_binomials.h"
#include "redqueen/gym/common/number/random_modulus.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct DerangementExtension : StoredResidue {
  static constexpr Card card{
      .name = "DerangementExtension",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Count, modulo a prime, the permutations with a given number of fixed points.",
      .levels = "The permutation has 4 elements and one more a level.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "At least three elements, at levels 0 and 1 two, are not fixed points: otherwise the "
          "count is 0, 1 or the number of choices of the fixed points. Instead of one of three "
          "large primes, the modulus is a random one that does not pass the count by much, so "
          "that more than a few problems are possible.",
      .small_answer_space = "At level 0 the counts are 9, 8 and 6.",
      .guess_until_level = 0,
      .source = "Permutation counting (排列计数), SDOI 2016",
  };

  static constexpr int kMaxLength = 100'000;
  static constexpr std::int64_t kMaxModulus = 2'147'483'647;
  static constexpr std::int64_t kMaxDrawnModulus = 1'000'000'007;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::int64_t M = 0;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, M, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = rng.integer(0, config.N - (config.N < 6 ? 2 : 3))};
    // About N!/(M!·e), and nearly exactly so unless it is small.
    const double permutations =
        std::round(std::tgamma(config.N + 1.0) / std::tgamma(static_cast<double>(problem.M + 1)) /
                   std::numbers::e);
    problem.MOD = draw_prime_modulus(permutations, config.N + 1, kMaxDrawnModulus, rng);
    problem.reference_answer = count(problem);
    if (problem.reference_answer == 0) throw Retry();
    return problem;
  }

  // The number of fixed points is uniform, and the modulus is one of three large primes.
  static Problem published(const Config& config, Rng& rng) {
    static constexpr std::array<std::int64_t, 3> kPrimes{666'623'333, 998'244'353, 1'000'000'007};
    Problem problem{.N = config.N, .M = rng.integer(0, config.N), .MOD = rng.choice(kPrimes)};
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(within("M", problem.M, 0, problem.N));
    RETURN_IF_ERROR(within("MOD", problem.MOD, problem.N + 1, kMaxModulus));
    if (!is_prime(problem.MOD)) return failure("\"MOD\": {} is not a prime", problem.MOD);
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Count the permutations p of the numbers 1 to {} that have exactly {} fixed point{}; a "
        "fixed point is a number i with p(i) = i.\n"
        "{}",
        problem.N, problem.M, problem.M == 1 ? "" : "s", ask_for_count_residue(problem.MOD));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const PrimeBinomials choose(PrimeField(problem.MOD), problem.N);
    const std::int64_t fixed = choose(problem.N, problem.M);
    const std::int64_t rest = choose.factorial(problem.N - problem.M);
    return {{"the choices of the fixed points", format_answer(fixed)},
            {"at least so many fixed points", format_answer(fixed * rest % problem.MOD)}};
  }

 private:
  // C(N, M) derangements of the rest each; of k elements these are D(k) = (k − 1)(D(k − 1) + D(k −
  // 2)).
  static std::int64_t count(const Problem& problem) {
    const PrimeField field(problem.MOD);
    std::int64_t before = 0;  // D(k − 1)
    std::int64_t here = 1;    // D(k), k = 0
    for (std::int64_t k = 1; k <= problem.N - problem.M; ++k) {
      before = std::exchange(here, field.multiply(k - 1, field.add(before, here)));
    }
    return field.multiply(PrimeBinomials(field, problem.N)(problem.N, problem.M), here);
  }
};
REDQUEEN_ENVIRONMENT(DerangementExtension);

}  // namespace
}  // namespace redqueen
