#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

// Appending n to C with n of a fixed length is (C, n) → (C·shift + n, n + 1). Several such steps in
// a row are C·scale + n·slope + offset and n + steps; all modulo M.
struct Appending {
  std::int64_t scale;
  std::int64_t slope;
  std::int64_t offset;
  std::int64_t steps;
};

// `first`, then `second`.
Appending then(const Appending& first, const Appending& second, std::int64_t modulus) {
  return {.scale = mul_mod(first.scale, second.scale, modulus),
          .slope = residue(Int128{first.slope} * second.scale + second.slope, modulus),
          .offset = residue(Int128{first.offset} * second.scale +
                                Int128{first.steps} * second.slope + second.offset,
                            modulus),
          .steps = residue(Int128{first.steps} + second.steps, modulus)};
}

// C·10^… after appending first, first + 1, …, `count` numbers that all have `digits` digits.
std::int64_t append_run(std::int64_t c, std::int64_t first, std::int64_t count, int digits,
                        std::int64_t modulus) {
  const std::int64_t one = 1 % modulus;
  Appending run{.scale = one, .slope = 0, .offset = 0, .steps = 0};
  Appending step{.scale = pow_mod(10, digits, modulus), .slope = one, .offset = 0, .steps = one};
  for (; count > 0; count >>= 1) {
    if (count & 1) run = then(run, step, modulus);
    step = then(step, step, modulus);
  }
  return residue(Int128{c} * run.scale + Int128{residue(first, modulus)} * run.slope + run.offset,
                 modulus);
}

struct PrefixConcatenation {
  static constexpr Card card{
      .name = "PrefixConcatenation",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Write 1, 2, …, N one after another and reduce the number modulo M.",
      .levels = "The bound on N starts at 64 and doubles each level; M is at most a million.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "N lies in the upper half of its range, and M has at least four digits and no factor 2 "
          "or 5, so that the last digits alone tell nothing.",
      .source = "Mathematics homework (数学作业), HNOI 2011",
      .max_level = 55,
  };

  static constexpr std::int64_t kMaxN = std::int64_t{1} << 61;
  static constexpr std::int64_t kMaxDrawnModulus = 1'000'000;
  static constexpr std::int64_t kMaxModulus = std::int64_t{1} << 40;

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    REDQUEEN_FIELDS(MAX_N, N, M)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_N = multiply(64, 2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = draw_upper_half(2, config.MAX_N, rng), .M = 0};
    while (problem.M % 2 == 0 || problem.M % 5 == 0) {
      problem.M = rng.integer(1000, kMaxDrawnModulus);
    }
    return problem;
  }

  // Uniform N and M.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = rng.integer(2, config.MAX_N), .M = 0};
    problem.M = rng.integer(3, kMaxDrawnModulus);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("N", problem.N, 1, kMaxN).and_then([&] {
      return within("M", problem.M, 1, kMaxModulus);
    });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Write the decimal numbers 1, 2, 3, …, {} one after another without separators, as in "
        "123456789101112…, and read the result as one decimal number. Find its remainder when "
        "divided by {}.\n"
        "Answer with one integer from 0 to {}.",
        problem.N, problem.M, problem.M - 1);
  }

  static double score(const Problem&, Answer answer, Answer right) {
    return exact_reward(answer == right);
  }

  static Answer solve(const Problem& problem) {
    std::int64_t c = 0;
    std::int64_t first = 1;
    for (int digits = 1; first <= problem.N; ++digits) {
      const std::int64_t last = first > problem.N / 10 ? problem.N : 10 * first - 1;
      c = append_run(c, first, last - first + 1, digits, problem.M);
      first = last + 1;
    }
    return c;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.M - 1);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(PrefixConcatenation);

}  // namespace
}  // namespace redqueen
