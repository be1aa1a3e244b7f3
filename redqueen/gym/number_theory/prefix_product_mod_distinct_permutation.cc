#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/sequence/prefix_residues.h"

namespace redqueen {
namespace {

bool has_solution(std::int64_t n) { return n == 4 || is_prime(n); }

struct PrefixProductMODDistinctPermutation {
  static constexpr Card card{
      .name = "PrefixProductMODDistinctPermutation",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kQuality,
      .task = "Order 1, …, N such that all prefix products differ modulo N.",
      .levels =
          "The bound on N, a prime or 4, starts at 8 and grows by half each level. Beyond level 20 "
          "answers are too long to write.",
      .rewards = "-1 malformed, -0.5 not a permutation, else (different residues / N)^10.",
      .differences =
          "From level 4 on N lies in the upper half of its range; before, 2 is a size, too, so "
          "that there are enough.",
      .small_answer_space =
          "Only 4 and primes have a solution, ten sizes at most below level 4, and ascending order "
          "solves the sizes 2 and 3.",
      .guess_until_level = 4,
      .source = "Prefix Product Sequence, Codeforces 487C",
      .max_level = 20,
  };

  static constexpr std::int64_t kFewSizes =
      30;  // bounds below it leave too few sizes in their upper half
  static constexpr std::int64_t kMaxN = 1'000'000;

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    REDQUEEN_FIELDS(MAX_N, N)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_half(8, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = 0};
    const std::int64_t least = config.MAX_N < kFewSizes ? 2 : config.MAX_N / 2;
    do {
      problem.N = rng.integer(least, config.MAX_N);
    } while (!has_solution(problem.N));
    return problem;
  }

  // 4 or an odd prime, each as likely.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = 0};
    do {
      problem.N = rng.integer(3, config.MAX_N);
    } while (!has_solution(problem.N));
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 2, kMaxN); !sound) return sound;
    if (!has_solution(problem.N)) {
      return failure("\"N\": {} is neither 4 nor a prime: there is no solution", problem.N);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Order the integers from 1 to {0}, each used once, such that no two prefix products are "
        "equal modulo {0}. The prefix products are the first number, the product of the first two, "
        "and so on to the product of all. Any such order is right.\n"
        "Answer with all {0} integers on one line, separated by spaces.",
        problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const auto distinct = distinct_prefix_residues(
        answer, problem.N,
        [](std::int64_t product, std::int64_t number) { return product * number; });
    return distinct ? share_reward(*distinct, problem.N) : kInvalidReward;
  }

  // 1, 2/1, 3/2, 4/3, …, N modulo N: the prefix products are 1, 2, 3, …, 0.
  static Answer solve(const Problem& problem) {
    if (problem.N == 4) return {1, 3, 2, 4};
    Answer answer{1};
    for (std::int64_t i = 1; i + 1 < problem.N; ++i) {
      answer.push_back(mul_mod(i + 1, inverse_mod(i, problem.N).value_or(0), problem.N));
    }
    answer.push_back(problem.N);
    return answer;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = numbers_up_to(problem.N);
    rng.shuffle(answer);
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"ascending order", format_answer(numbers_up_to(problem.N))}};
  }
};
REDQUEEN_ENVIRONMENT(PrefixProductMODDistinctPermutation);

}  // namespace
}  // namespace redqueen
