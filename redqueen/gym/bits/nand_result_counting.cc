#include <algorithm>
#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct NANDResultCounting {
  static constexpr Card card{
      .name = "NANDResultCounting",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the values in an interval that given K-bit numbers yield "
          "when combined by NAND.",
      .levels =
          "The numbers grow from 3 by a tenth and one a level, their "
          "bits from 2 by one a level. "
          "Beyond level 60 a number leaves 64 bits.",
      .rewards =
          "-1 malformed or negative, else (min/max)^10 of the answer "
          "and the count.",
      .differences =
          "The interval holds at least one such value, and from 3 "
          "bits on not every value can be "
          "reached; counts are drawn evenly among those that come "
          "up. It was 0 in up to a third of "
          "the problems.",
      .small_answer_space =
          "With two bits, at level 0, there are at most four values, with four bits, at level 2, "
          "eight. At level 3, one of them is right in a fifth of the problems.",
      .guess_until_level = 3,
      .max_level = 60,
  };

  static constexpr int kDraws = 6;
  static constexpr int kMaxBits = 62;

  struct Config {
    int N = 0;
    int K = 0;
    REDQUEEN_FIELDS(N, K)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<std::int64_t> A;
    std::int64_t L = 0;
    std::int64_t R = 0;
    REDQUEEN_FIELDS(N, K, A, L, R)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level), .K = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<std::int64_t, Problem>> {
      Problem problem{.N = config.N, .K = config.K, .A = draw_numbers(config, rng), .L = 0, .R = 0};
      const std::vector<std::int64_t> classes = bit_classes(problem);
      const auto count = static_cast<int>(classes.size());
      if (count == config.K && config.K > 2) return std::nullopt;
      std::int64_t low = draw_union(classes, rng);
      std::int64_t high = draw_union(classes, rng);
      if (low > high) std::swap(low, high);
      // About the distance between two such values.
      const std::int64_t gap = std::int64_t{1} << (config.K - count);
      const std::int64_t most = (std::int64_t{1} << config.K) - 1;
      problem.L = low - rng.integer(0, std::min(gap, low));
      problem.R = high + rng.integer(0, std::min(gap, most - high));
      const std::int64_t values = values_in_interval(problem);
      return std::pair(values, std::move(problem));
    });
  }

  // Groups of places at which all numbers agree, as many as there are places or fewer, and a
  // uniform interval, which may hold no such value.
  static Problem published(const Config& config, Rng& rng) {
    const std::vector<int> places = rng.permutation(config.K);
    const auto groups = static_cast<std::size_t>(rng.integer(1, config.K));
    std::vector<std::int64_t> ends;
    if (groups > 1) ends = rng.sample(1, config.K - 1, groups - 1);
    ends.push_back(config.K);
    std::ranges::sort(ends);
    std::vector<std::int64_t> group_bits(groups, 0);
    std::size_t group = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (static_cast<std::int64_t>(i) == ends[group]) ++group;
      group_bits[group] |= std::int64_t{1} << places[i];
    }
    Problem problem{.N = config.N, .K = config.K, .A = {}, .L = 0, .R = 0};
    for (int i = 0; i < config.N; ++i) problem.A.push_back(draw_number(group_bits, rng));
    const std::int64_t most = (std::int64_t{1} << config.K) - 1;
    problem.L = rng.integer(0, most);
    problem.R = rng.integer(0, most);
    if (problem.L > problem.R) std::swap(problem.L, problem.R);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (Status fits = within("K", problem.K, 1, kMaxBits); !fits) return fits;
    const std::int64_t most = (std::int64_t{1} << problem.K) - 1;
    if (problem.N < 1 || problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" ≥ 1 numbers, found {}", problem.A.size());
    }
    for (const std::int64_t a : problem.A) {
      if (Status fits = within("A", a, 0, most); !fits) return fits;
    }
    return within("R", problem.R, 0, most).and_then([&] {
      return within("L", problem.L, 0, problem.R);
    });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "All numbers here have {0} binary digits (leading zeros "
        "included), and x NAND y is the "
        "bitwise NOT of x AND y within these {0} digits. Given "
        "are {1} numbers, in decimal:\n"
        "{2}\n"
        "Expressions are built from them with NAND and "
        "parentheses; a number may be used any "
        "number of times or not at all, and a number alone is "
        "an expression too. How many "
        "different values v with {3} ≤ v ≤ {4} are the value of "
        "some expression?\n"
        "Answer with one integer.",
        problem.K, problem.N, format_answer(problem.A), problem.L, problem.R);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  static Answer solve(const Problem& problem) { return BigInt(values_in_interval(problem)); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"all values of the interval", format_answer(problem.R - problem.L + 1)}};
  }

 private:
  // Fewer groups of bits than bits, the bits of a group the same in every number.
  static std::vector<std::int64_t> draw_numbers(const Config& config, Rng& rng) {
    const int most = std::max(config.K - 1, std::min(config.K, 2));
    const auto groups = static_cast<std::size_t>(rng.integer(std::max(1, config.K / 2), most));
    std::vector<std::int64_t> group_bits(groups, 0);
    const std::vector<int> places = rng.permutation(config.K);
    for (std::size_t i = 0; i < places.size(); ++i) {
      group_bits[i < groups ? i : rng.below(groups)] |= std::int64_t{1} << places[i];
    }
    std::vector<std::int64_t> numbers;
    for (int i = 0; i < config.N; ++i) numbers.push_back(draw_number(group_bits, rng));
    return numbers;
  }

  // Holds each group with one probability, which is drawn.
  static std::int64_t draw_number(const std::vector<std::int64_t>& group_bits, Rng& rng) {
    const double density = rng.real();
    std::int64_t number = 0;
    for (const std::int64_t bits : group_bits) number |= rng.chance(density) ? bits : 0;
    return number;
  }

  static std::int64_t draw_union(const std::vector<std::int64_t>& classes, Rng& rng) {
    std::int64_t value = 0;
    for (const std::int64_t bits : classes) value |= rng.chance(0.5) ? bits : 0;
    return value;
  }

  // The places at which all numbers agree, place by place: sets of bits. NAND
  // is complete, so the values of expressions are the unions of such sets.
  static std::vector<std::int64_t> bit_classes(const Problem& problem) {
    std::vector<std::int64_t> classes{(std::int64_t{1} << problem.K) - 1};
    for (const std::int64_t a : problem.A) {
      for (std::size_t i = classes.size(); i-- > 0;) {
        const std::int64_t set = classes[i] & a;
        if (set == 0 || set == classes[i]) continue;
        classes.push_back(set);
        classes[i] &= ~a;
      }
    }
    // By their highest bits, which decide how unions compare.
    std::ranges::sort(classes, std::greater());
    return classes;
  }

  // Unions ≤ limit: those that agree with the limit down to some class and lack
  // the next one that would fit, and the largest of all.
  static std::int64_t unions_up_to(const std::vector<std::int64_t>& classes, std::int64_t limit) {
    std::int64_t count = 1;
    std::int64_t value = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (value + classes[i] > limit) continue;
      count += std::int64_t{1} << (classes.size() - 1 - i);
      value += classes[i];
    }
    return count;
  }

  static std::int64_t values_in_interval(const Problem& problem) {
    const std::vector<std::int64_t> classes = bit_classes(problem);
    const std::int64_t below = problem.L == 0 ? 0 : unions_up_to(classes, problem.L - 1);
    return unions_up_to(classes, problem.R) - below;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(NANDResultCounting);

}  // namespace
}  // namespace redqueen
