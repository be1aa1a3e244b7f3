#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct BitwiseOperationSequenceCounting {
  static constexpr Card card{
      .name = "BitwiseOperationSequenceCounting",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the ways to put AND or OR between given bit strings such "
          "that the result, "
          "evaluated from left to right, is a given string.",
      .levels =
          "The bound on the number of strings and on their length starts "
          "at 3 and grows by a tenth "
          "and one a level.",
      .rewards =
          "-1 malformed or negative, else (min/max)^10 of the answer "
          "and the count.",
      .differences =
          "All bits are random, those of the first string too, N "
          "and M lie in the upper half of "
          "their range, and counts are drawn evenly among those "
          "that come up: they were 1 or 2 "
          "mostly. Only the exact count is solved.",
      .slow_reason = SlowReason::kStricter,
      .source = "Treasure hunt (寻宝游戏), HNOI and AHOI 2018",
      .version = 2,
      .max_level = 40,
  };

  static constexpr int kDraws = 6;
  static constexpr int kMostInWord = 60;  // operators whose number fits 64 bits
  static constexpr std::size_t kMaxSize = 10'000;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int MAX_N_M = 0;
    int N = 0;
    int M = 0;
    std::vector<std::string> A;
    std::string R;
    REDQUEEN_FIELDS(MAX_N_M, N, M, A, R)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    if (config.MAX_N_M <= kMostInWord) return draw_problem<std::int64_t>(config, rng);
    return draw_problem<BigInt>(config, rng);
  }

  template <typename Number>
  static Problem draw_problem(const Config& config, Rng& rng) {
    return draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<Number, Problem>> {
      Problem problem{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0, .A = {}, .R = {}};
      problem.N = static_cast<int>(draw_upper_half(2, config.MAX_N_M, rng));
      problem.M = static_cast<int>(draw_upper_half(2, config.MAX_N_M, rng));
      for (int i = 0; i <= problem.N; ++i) {
        std::string bits(static_cast<std::size_t>(problem.M), '0');
        std::uint64_t word = 0;
        for (std::size_t j = 0; j < bits.size(); ++j, word >>= 1) {
          if (j % 64 == 0) word = rng.bits();
          bits[j] = (word & 1) != 0 ? '1' : '0';
        }
        const char neutral = rng.chance(0.5) ? '1' : '0';  // of AND and of OR
        if (i == 0) problem.R = bits;
        for (std::size_t j = 0; i > 0 && j < bits.size(); ++j) {
          if (bits[j] != neutral) problem.R[j] = bits[j];
        }
        problem.A.push_back(std::move(bits));
      }
      Number count = count_ways<Number>(problem);
      return std::pair(std::move(count), std::move(problem));
    });
  }

  // The first string is all zeros, each other has its own share of ones, and AND its own chance.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0, .A = {}, .R = {}};
    problem.N = static_cast<int>(rng.integer(2, config.MAX_N_M));
    problem.M = static_cast<int>(rng.integer(2, config.MAX_N_M));
    problem.R.assign(static_cast<std::size_t>(problem.M), '0');
    problem.A.push_back(problem.R);
    const double ands = rng.real();
    for (int i = 0; i < problem.N; ++i) {
      const double ones = rng.real();
      std::string bits;
      for (int j = 0; j < problem.M; ++j) bits += rng.chance(ones) ? '1' : '0';
      const char neutral = rng.chance(ands) ? '1' : '0';
      for (std::size_t j = 0; j < bits.size(); ++j) {
        if (bits[j] != neutral) problem.R[j] = bits[j];
      }
      problem.A.push_back(std::move(bits));
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.A.size() != static_cast<std::size_t>(problem.N) + 1 ||
        problem.A.size() > kMaxSize) {
      return failure("\"A\": expected \"N\" + 1 strings, 2 to {}, found {}", kMaxSize,
                     problem.A.size());
    }
    if (Status fits = within("M", problem.M, 1, kMaxSize); !fits) return fits;
    const auto is_string = [&](const std::string& bits) {
      return bits.size() == static_cast<std::size_t>(problem.M) &&
             bits.find_first_not_of("01") == std::string::npos;
    };
    if (!std::ranges::all_of(problem.A, is_string)) {
      return failure("\"A\": expected strings of \"M\" = {} binary digits", problem.M);
    }
    if (!is_string(problem.R))
      return failure("\"R\": expected \"M\" = {} binary digits", problem.M);
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {0} strings of {1} bits, A[0] to A[{2}], one per line:\n"
        "{3}\n"
        "One of the bitwise operators AND and OR is put between every two successive strings, and "
        "the expression is evaluated strictly from left to right: A[0] with A[1], the result with "
        "A[2], and so on. In how many of the 2^{2} ways to choose the {2} operators is the result "
        "{4}?\n"
        "Answer with one integer.",
        problem.N + 1, problem.M, problem.N, fmt::join(problem.A, "\n"), problem.R);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  // Read the operators as a binary number, AND as 1, the last operator highest,
  // and so the bits of a column, A[N] highest, A[0] left out. At the highest
  // place where the two differ, the operator settles the column's result: to 1
  // if the column has the 1. If they agree, A[0] stays. So the result is 1 for
  // the numbers below the column's, plus A[0]'s bit.
  static Answer solve(const Problem& problem) {
    return problem.N <= kMostInWord ? BigInt(count_ways<std::int64_t>(problem))
                                    : count_ways<BigInt>(problem);
  }

  // Number holds 2^N.
  template <typename Number>
  static Number count_ways(const Problem& problem) {
    const auto columns = static_cast<std::size_t>(problem.M);
    std::optional<std::size_t> lower;  // the largest column that must give 0
    std::optional<std::size_t> upper;  // the least column that must give 1
    for (std::size_t j = 0; j < columns; ++j) {
      if (problem.R[j] == '0') {
        if (!lower || is_below(problem, *lower, j)) lower = j;
      } else if (!upper || is_below(problem, j, *upper)) {
        upper = j;
      }
    }
    const Number least = lower ? threshold<Number>(problem, *lower) : Number(0);
    const Number end = upper ? threshold<Number>(problem, *upper) : Number(Number(1) << problem.N);
    return end > least ? Number(end - least) : Number(0);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

 private:
  static bool is_below(const Problem& problem, std::size_t a, std::size_t b) {
    for (auto row = problem.A.rbegin(); row != problem.A.rend(); ++row) {
      if ((*row)[a] != (*row)[b]) return (*row)[a] < (*row)[b];
    }
    return false;
  }

  template <typename Number>
  static Number threshold(const Problem& problem, std::size_t column) {
    Number number = 0;
    for (std::size_t i = problem.A.size(); i-- > 1;) {
      number <<= 1;
      if (problem.A[i][column] == '1') ++number;
    }
    if (problem.A[0][column] == '1') ++number;
    return number;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(BitwiseOperationSequenceCounting);

}  // namespace
}  // namespace redqueen
