#include <array>
#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

constexpr std::array<std::int64_t, 9> kXorEquationRanges{3,    7,     31,     127,    1023,
                                                         4095, 32767, 131071, 1048575};

struct XorEquationCounting {
  static constexpr Card card{
      .name = "XorEquationCounting",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo 10000, the lists of N integers between L and R "
          "whose bitwise XOR is K.",
      .levels =
          "N starts at 2 and grows by a tenth and one a level; the bound "
          "on L and R is 3 to 2^20 - "
          "1 at every level.",
      .rewards = "-1 malformed, -0.5 outside 0 to 9999, 0 wrong, 1 right.",
      .differences =
          "R is at least L + 2, and the range from L to R is no "
          "aligned block of 2^k numbers, for "
          "which the count is simply 2^(k(N - 1)).",
      .max_level = 60,
  };

  static constexpr std::int64_t kModulus = 10000;
  static constexpr std::int64_t kMaxValue = std::int64_t{1} << 40;
  static constexpr int kMaxCount = 100'000;

  struct Config {
    int N = 0;
    std::int64_t RANGE = 0;
    REDQUEEN_FIELDS(N, RANGE)
  };
  struct Problem {
    int N = 0;
    std::int64_t RANGE = 0;
    std::int64_t R = 0;
    std::int64_t L = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(N, RANGE, R, L, K)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng& rng) {
    return {.N = grow_by_tenth(2, level), .RANGE = rng.choice(kXorEquationRanges)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .RANGE = config.RANGE, .R = 0, .L = 0, .K = 0};
    std::uint64_t size = 0;
    do {
      problem.L = rng.integer(0, config.RANGE - 2);
      problem.R = rng.integer(problem.L + 2, config.RANGE);
      size = static_cast<std::uint64_t>(problem.R - problem.L + 1);
    } while (std::has_single_bit(size) && static_cast<std::uint64_t>(problem.L) % size == 0);
    for (int i = 0; i < config.N; ++i) problem.K ^= rng.integer(problem.L, problem.R);
    return problem;
  }

  // A uniform R, a uniform L up to it, and the XOR of N uniform numbers between them.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .RANGE = config.RANGE, .R = 0, .L = 0, .K = 0};
    problem.R = rng.integer(0, config.RANGE);
    problem.L = rng.integer(0, problem.R);
    for (int i = 0; i < config.N; ++i) problem.K ^= rng.integer(problem.L, problem.R);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("N", problem.N, 1, kMaxCount)
        .and_then([&] { return within("R", problem.R, 0, kMaxValue); })
        .and_then([&] { return within("L", problem.L, 0, problem.R); })
        .and_then([&] { return within("K", problem.K, 0, kMaxValue); });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Count the lists of {} integers, each from {} to {} (both included), for which the bitwise "
        "XOR of all integers of the list is {}. A list may contain an integer more than once, and "
        "lists in a different order are different.\n"
        "Answer with the count modulo {}, one integer from 0 to {}.",
        problem.N, problem.L, problem.R, problem.K, kModulus, kModulus - 1);
  }

  static double score(const Problem&, Answer answer, Answer right) {
    if (answer < 0 || answer >= kModulus) return kInvalidReward;
    return exact_reward(answer == right);
  }

  // Inclusion and exclusion: every X is below R + 1, or, counted negative, below L. The numbers
  // below a bound are one aligned block of 2^v numbers for every set bit v of it; lists are counted
  // by the size of their largest block.
  static Answer solve(const Problem& problem) {
    const auto widest = static_cast<std::uint64_t>(problem.R + 1);
    std::int64_t count = 0;
    for (int bit = static_cast<int>(std::bit_width(widest)) - 1; bit >= 0; --bit) {
      count += count_with_largest_block(problem, bit);
    }
    return count % kModulus;
  }

  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, kModulus - 1); }

 private:
  // Lists whose largest block has 2^bit numbers. The first X from such a block
  // is fixed by all others; above the block, the XOR depends only on how many X
  // are counted negative: whether an odd number is. A state is (odd number of
  // negatives) + 2 (XOR of bit `bit`) + 4 (some X is from such a block).
  static std::int64_t count_with_largest_block(const Problem& problem, int bit) {
    const std::array<std::int64_t, 2> bounds{problem.R + 1, problem.L};
    const auto above = [&](int odd) {
      const std::int64_t negatives = odd != 0 ? bounds[1] >> (bit + 1) : 0;
      return ((problem.N - odd) % 2 != 0 ? bounds[0] >> (bit + 1) : 0) ^ negatives;
    };
    const std::array<bool, 2> fits{above(0) == problem.K >> (bit + 1),
                                   above(1) == problem.K >> (bit + 1)};
    if (!fits[0] && !fits[1]) return 0;
    const std::int64_t block = (std::int64_t{1} << bit) % kModulus;
    std::array<std::int64_t, 8> states{1};
    for (int i = 0; i < problem.N; ++i) {
      std::array<std::int64_t, 8> next{};
      for (int state = 0; state < 8; ++state) {
        if (states[state] == 0) continue;
        for (int negative = 0; negative < 2; ++negative) {
          const std::int64_t bound = bounds[negative];
          const std::int64_t ways = states[state] * (negative != 0 ? kModulus - 1 : 1) % kModulus;
          const std::int64_t smaller = (bound & ((std::int64_t{1} << bit) - 1)) % kModulus;
          const int set = static_cast<int>(bound >> bit & 1);
          next[(state ^ negative) ^ (set << 1)] += ways * smaller;
          if (set != 0) next[(state ^ negative) | 4] += ways * ((state & 4) != 0 ? block : 1);
        }
      }
      for (std::int64_t& ways : next) ways %= kModulus;
      states = next;
    }
    std::int64_t count = 0;
    for (int odd = 0; odd < 2; ++odd) {
      if (fits[odd]) count += states[4 + 2 * (problem.K >> bit & 1) + odd];
    }
    return count;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(XorEquationCounting);

}  // namespace
}  // namespace redqueen
