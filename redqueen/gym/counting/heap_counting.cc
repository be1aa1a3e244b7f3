#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/prime_field.h"
#include "redqueen/gym/common/number/random_modulus.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct HeapCounting {
  static constexpr Card card{
      .name = "HeapCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo a prime, the permutations that are binary heaps: each element but the "
          "first is greater than the one at half its place.",
      .levels = "The bound on N starts at 10 and grows by a tenth and one each level.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "The prime is above N, and close to the count or to a million: small primes divide the "
          "count, which made 0 right for a fifth of the problems. N lies in the upper half of its "
          "range and is at least 6.",
      .slow_reason = SlowReason::kMoreWork,
      .source = "Perm (Perm 排列计数), ZJOI 2010",
  };

  static constexpr std::int64_t kMaxLength = 1'000'000;
  static constexpr std::int64_t kMaxModulus = 2'147'483'647;
  static constexpr std::int64_t kMaxDrawnModulus = 1'000'000;

  struct Config {
    int MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    int MAX_N = 0;
    std::int64_t N = 0;
    std::int64_t P = 0;  // the modulus
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N, N, P, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_tenth(10, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = draw_upper_half(6, config.MAX_N, rng)};
    double heaps = 1.0;
    const std::vector<std::int64_t> sizes = subtree_sizes(std::min<std::int64_t>(problem.N, 100));
    for (std::size_t i = 1; i < sizes.size(); ++i) {
      heaps *= static_cast<double>(i) / static_cast<double>(sizes[i]);
    }
    problem.P = draw_prime_modulus(heaps, problem.N + 1, kMaxDrawnModulus, rng);
    problem.reference_answer = count(problem);
    return problem;
  }

  // N is uniform, and so is the prime among those up to 5N.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = rng.integer(3, config.MAX_N)};
    const std::vector<int> primes = primes_up_to(static_cast<int>(5 * problem.N));
    problem.P = rng.choice(primes);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(within("P", problem.P, 2, kMaxModulus));
    if (!is_prime(problem.P)) return failure("\"P\": {} is not a prime", problem.P);
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Count the permutations A[1], …, A[{0}] of the numbers 1 to {0} in which A[i] > A[⌊i/2⌋] "
        "for every i from 2 to {0}, where ⌊i/2⌋ is i/2 rounded down.\n"
        "{1}",
        problem.N, ask_for_count_residue(problem.P));
  }

  static double score(const Problem& problem, const Answer& answer) {
    return residue_reward(answer, problem.reference_answer, problem.P);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.P - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t rest = 1;  // (N − 1)!
    for (std::int64_t i = 2; i < problem.N; ++i) rest = rest * i % problem.P;
    return {{"the first element is 1, the others are in any order", format_answer(rest)}};
  }

 private:
  // Of the trees of places i, 2i, 2i + 1, 4i, …; entry 0 is 0.
  static std::vector<std::int64_t> subtree_sizes(std::int64_t n) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(n) + 1, 1);
    for (std::int64_t i = n; i > 1; --i) sizes[i / 2] += sizes[i];
    sizes[0] = 0;
    return sizes;
  }

  // N! over the product of all subtree sizes. The prime may divide both: its powers cancel first.
  static std::int64_t count(const Problem& problem) {
    const PrimeField field(problem.P);
    std::int64_t exponent = 0;
    const auto multiply = [&](std::int64_t& product, std::int64_t factor, int sign) {
      for (; factor % problem.P == 0; factor /= problem.P) exponent += sign;
      product = field.multiply(product, factor % problem.P);
    };
    std::int64_t numerator = 1;
    std::int64_t denominator = 1;
    const std::vector<std::int64_t> sizes = subtree_sizes(problem.N);
    for (std::int64_t i = 1; i <= problem.N; ++i) {
      multiply(numerator, i, 1);
      multiply(denominator, sizes[i], -1);
    }
    return exponent > 0 ? 0 : field.divide(numerator, denominator);
  }
};
REDQUEEN_ENVIRONMENT(HeapCounting);

}  // namespace
}  // namespace redqueen
