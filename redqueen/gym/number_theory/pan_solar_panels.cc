#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/number/quotient_blocks.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct PanSolarPanels {
  static constexpr Card card{
      .name = "PanSolarPanels",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Choose a number from each of two intervals such that their gcd is as large as possible.",
      .levels =
          "The bound on the intervals starts at 10 and grows by half each level. Beyond level 50 "
          "the search takes too long.",
      .rewards = "-1 malformed, -0.5 outside the intervals, else (gcd / largest gcd)^3.",
      .differences =
          "Intervals are drawn again where two of their ends attain the largest gcd (at level 0 "
          "and 1, where the upper ends do). From level 2 on, the largest gcd lies below both "
          "intervals in six of seven problems; in most others it would be a number of one that "
          "divides a number of the other.",
      .slow_reason = SlowReason::kStricter,
      .source = "Solar Panels (PAN), 21st Polish Olympiad in Informatics, 2014",
      .version = 3,
      .max_level = 50,
  };

  static constexpr std::int64_t kMaxNumber = 10'000'000'000;
  static constexpr double kBeta = 3.0;
  static constexpr double kPlainShare = 0.15;  // where a number of one divides one of the other
  static constexpr std::int64_t kFewIntervals = 20;  // bounds below it leave too few others

  struct Config {
    std::int64_t MAX_A_B_C_D = 0;
    REDQUEEN_FIELDS(MAX_A_B_C_D)
  };
  struct Problem {
    std::int64_t MAX_A_B_C_D = 0;
    std::int64_t A = 0;
    std::int64_t B = 0;
    std::int64_t C = 0;
    std::int64_t D = 0;
    REDQUEEN_FIELDS(MAX_A_B_C_D, A, B, C, D)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.MAX_A_B_C_D = grow_by_half(10, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const bool few = config.MAX_A_B_C_D < kFewIntervals;
    const bool plain = rng.chance(kPlainShare);
    for (;;) {
      std::array<std::int64_t, 4> ends;
      for (std::int64_t& end : ends) end = rng.integer(1, config.MAX_A_B_C_D);
      std::ranges::sort(ends);
      if (ends[1] == ends[2]) continue;
      const Problem problem{config.MAX_A_B_C_D, ends[0], ends[1], ends[2], ends[3]};
      // An upper interval that is longer than a number holds a multiple of it.
      if (!few && !plain && problem.D - problem.C + 1 >= problem.A) continue;
      const std::int64_t largest = largest_gcd(problem);
      if (!few && (largest >= problem.A) != plain) continue;
      if (is_solved_by_ends(problem, largest, few)) continue;
      if (rng.chance(0.5)) return problem;
      return {config.MAX_A_B_C_D, ends[2], ends[3], ends[0], ends[1]};
    }
  }

  static bool is_solved_by_ends(const Problem& problem, std::int64_t largest,
                                bool upper_ends_only) {
    if (std::gcd(problem.B, problem.D) == largest) return true;
    return !upper_ends_only &&
           (std::gcd(problem.A, problem.C) == largest ||
            std::gcd(problem.A, problem.D) == largest || std::gcd(problem.B, problem.C) == largest);
  }

  // Four uniform ends, cut into two intervals without a common number.
  static Problem published(const Config& config, Rng& rng) {
    std::array<std::int64_t, 4> ends;
    do {
      for (std::int64_t& end : ends) end = rng.integer(1, config.MAX_A_B_C_D);
      std::ranges::sort(ends);
    } while (ends[1] == ends[2]);
    if (rng.chance(0.5)) std::ranges::rotate(ends, ends.begin() + 2);
    return {config.MAX_A_B_C_D, ends[0], ends[1], ends[2], ends[3]};
  }

  static Status check(const Problem& problem) {
    return within("A", problem.A, 1, kMaxNumber)
        .and_then([&] { return within("B", problem.B, problem.A, kMaxNumber); })
        .and_then([&] { return within("C", problem.C, 1, kMaxNumber); })
        .and_then([&] { return within("D", problem.D, problem.C, kMaxNumber); });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Choose integers X and Y with {} ≤ X ≤ {} and {} ≤ Y ≤ {} such that their greatest common "
        "divisor is as large as possible. Any such pair is right.\n"
        "Answer with X and Y, separated by a space.",
        problem.A, problem.B, problem.C, problem.D);
  }

  static std::optional<Answer> parse(std::string_view answer) {
    auto pair = parse_int_list(answer);
    if (!pair || pair->size() != 2) return std::nullopt;
    return pair;
  }

  static double score(const Problem& problem, const Answer& answer) {
    const std::int64_t x = answer[0];
    const std::int64_t y = answer[1];
    if (x < problem.A || x > problem.B || y < problem.C || y > problem.D) return kInvalidReward;
    return maximise_reward(std::gcd(x, y), largest_gcd(problem), kBeta);
  }

  // g is possible if both intervals hold a multiple of it. Where ⌊B/g⌋ and ⌊D/g⌋ are constant, the
  // largest g has the best chance, as the multiples grow with it.
  static std::int64_t largest_gcd(const Problem& problem) {
    std::int64_t largest = 1;
    for_each_quotient_block(problem.B, problem.D, std::min(problem.B, problem.D),
                            [&](auto, auto g, auto below_b, auto below_d) {
                              if (below_b * g >= problem.A && below_d * g >= problem.C) largest = g;
                            });
    return largest;
  }

  static Answer solve(const Problem& problem) {
    const std::int64_t largest = largest_gcd(problem);
    return {problem.B / largest * largest, problem.D / largest * largest};
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return {rng.integer(problem.A, problem.B), rng.integer(problem.C, problem.D)};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the upper ends", fmt::format("{} {}", problem.B, problem.D)},
            {"the lower ends", fmt::format("{} {}", problem.A, problem.C)},
            {"the largest number that divides one of the other interval",
             format_answer(largest_divisor(problem))}};
  }

  static Answer largest_divisor(const Problem& problem) {
    constexpr std::int64_t kTries = 1000;
    const bool first_is_lower = problem.B < problem.C;
    const auto [low, high] =
        first_is_lower ? std::pair(problem.A, problem.B) : std::pair(problem.C, problem.D);
    const auto [from, to] =
        first_is_lower ? std::pair(problem.C, problem.D) : std::pair(problem.A, problem.B);
    for (std::int64_t g = high; g >= low && g > high - kTries; --g) {
      const std::int64_t multiple = to / g * g;
      if (multiple < from) continue;
      return first_is_lower ? Answer{g, multiple} : Answer{multiple, g};
    }
    return {problem.B, problem.D};
  }
};
REDQUEEN_ENVIRONMENT(PanSolarPanels);

}  // namespace
}  // namespace redqueen
