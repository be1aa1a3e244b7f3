#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/xor_blocks.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct EnergyStorageMeter {
  static constexpr Card card{
      .name = "EnergyStorageMeter",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Add up by how much i XOR j exceeds K, where it does, over all "
          "pairs of integers below N "
          "and M.",
      .levels =
          "The bound on N, M and K starts at 4 and grows by half each "
          "level. Beyond level 60 the "
          "sum leaves 128 bits.",
      .rewards =
          "-1 malformed or negative, else (min/max)^10 of the answer "
          "and the sum.",
      .differences =
          "N and M lie in the upper half of their range and K below "
          "the larger one, so that the "
          "sum is never 0; only the exact sum is solved.",
      .source = "Energy storage meter (储能表), SDOI 2016",
      .max_level = 60,
  };

  static constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;

  struct Config {
    std::int64_t MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    std::int64_t MAX_N_M = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(MAX_N_M, N, M, K)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_half(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0, .K = 0};
    problem.N = draw_upper_half(2, config.MAX_N_M, rng);
    problem.M = draw_upper_half(2, config.MAX_N_M, rng);
    problem.K = rng.integer(0, std::max(problem.N, problem.M) - 2);
    return problem;
  }

  // Uniform N, M and K, so that the sum may be 0.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0, .K = 0};
    problem.N = rng.integer(2, config.MAX_N_M);
    problem.M = rng.integer(2, config.MAX_N_M);
    problem.K = rng.integer(0, config.MAX_N_M);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("N", problem.N, 1, kMaxSize)
        .and_then([&] { return within("M", problem.M, 1, kMaxSize); })
        .and_then([&] { return within("K", problem.K, 0, kMaxSize); });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find the sum of max((i XOR j) - {2}, 0) over all pairs of integers (i, j) with "
        "0 ≤ i < {0} and 0 ≤ j < {1}, where XOR is bitwise.\n"
        "Answer with one integer.",
        problem.N, problem.M, problem.K);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  static Answer solve(const Problem& problem) {
    Int128 sum = 0;
    for_each_xor_block(problem.N, problem.M, 0,
                       [&](std::int64_t first, std::int64_t last, std::int64_t times) {
                         const std::int64_t least = std::max(first, problem.K + 1) - problem.K;
                         const std::int64_t most = last - problem.K;
                         if (least > most) return;
                         sum += Int128{least + most} * (most - least + 1) / 2 * times;
                       });
    return BigInt(sum);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(EnergyStorageMeter);

}  // namespace
}  // namespace redqueen
