#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/quotient_blocks.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct GCDFibonacciProduct {
  static constexpr Card card{
      .name = "GCDFibonacciProduct",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Multiply the Fibonacci numbers f(gcd(i, j)) over all i from 1 to N and j from 1 to M, "
          "modulo a prime.",
      .levels =
          "The bound on N and M starts at 5 and grows by half each level. Beyond level 30 a table "
          "of the bound's size takes too long.",
      .rewards = "-1 malformed, -0.5 not a residue, 0 wrong, 1 right.",
      .differences = "N and M lie in the upper half of their range, the smaller one uniformly.",
      .source = "Number table (数字表格), SDOI 2017",
      .max_level = 30,
  };

  static constexpr std::array<std::int64_t, 3> kModuli{666623333, 998244353, 1000000007};
  static constexpr std::int64_t kMaxSize = 1'000'000;
  static constexpr std::int64_t kMaxModulus = std::int64_t{1} << 31;

  struct Config {
    std::int64_t MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    std::int64_t MAX_N_M = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t MOD = 0;
    REDQUEEN_FIELDS(MAX_N_M, N, M, MOD)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_half(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0, .MOD = 0};
    // The smaller bound decides most: with both uniform, a single product is right for half of the
    // small problems.
    problem.N = draw_upper_half(2, config.MAX_N_M, rng);
    problem.M = rng.integer(problem.N, config.MAX_N_M);
    if (rng.chance(0.5)) std::swap(problem.N, problem.M);
    problem.MOD = rng.choice(kModuli);
    return problem;
  }

  // Uniform N and M, one of three primes.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0, .MOD = 0};
    problem.N = rng.integer(3, config.MAX_N_M);
    problem.M = rng.integer(3, config.MAX_N_M);
    problem.MOD = rng.choice(kModuli);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("N", problem.N, 1, kMaxSize)
        .and_then([&] { return within("M", problem.M, 1, kMaxSize); })
        .and_then([&] { return within("MOD", problem.MOD, 2, kMaxModulus); });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Let f be the Fibonacci sequence: f(1) = f(2) = 1 and f(n) = f(n-1) + f(n-2). Find the "
        "product of f(gcd(i, j)) over all ordered pairs of integers (i, j) with 1 ≤ i ≤ {} and 1 ≤ "
        "j ≤ {}, modulo {}.\n"
        "Answer with one integer from 0 to {}.",
        problem.N, problem.M, problem.MOD, problem.MOD - 1);
  }

  static double score(const Problem& problem, Answer answer, Answer right) {
    if (answer < 0 || answer >= problem.MOD) return kInvalidReward;
    return exact_reward(answer == right);
  }

  // f(g) occurs once for every coprime pair in the box shrunk by g. Those counts need no inverses
  // modulo MOD, so any modulus will do, and are the same over runs of g.
  static Answer solve(const Problem& problem) {
    const std::int64_t limit = std::min(problem.N, problem.M);
    std::vector<std::int64_t> mertens(static_cast<std::size_t>(limit) + 1, 0);
    const std::vector<int> moebius = moebius_up_to(static_cast<int>(limit));
    for (std::int64_t k = 1; k <= limit; ++k) mertens[k] = mertens[k - 1] + moebius[k];
    std::int64_t result = 1;
    std::int64_t fibonacci = 1;
    std::int64_t next = 1;
    for_each_quotient_block(
        problem.N, problem.M, limit, [&](auto first, auto last, auto n, auto m) {
          std::int64_t product = 1;
          for (std::int64_t g = first; g <= last; ++g) {
            product = product * fibonacci % problem.MOD;
            fibonacci = std::exchange(next, (fibonacci + next) % problem.MOD);
          }
          std::int64_t pairs = 0;
          for_each_quotient_block(n, m, std::min(n, m), [&](auto from, auto to, auto a, auto b) {
            pairs += (mertens[to] - mertens[from - 1]) * a * b;
          });
          result = result * pow_mod(product, pairs, problem.MOD) % problem.MOD;
        });
    return result;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.MOD - 1);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(GCDFibonacciProduct);

}  // namespace
}  // namespace redqueen
