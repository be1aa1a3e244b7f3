#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct BitAndZero_PathCounting {
  static constexpr Card card{
      .name = "BitAndZero_PathCounting",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo 10000, the paths between two integers in a graph "
          "with an edge from s to t "
          "where s < t and s AND t = 0.",
      .levels =
          "The bound on the binary digits starts at 3 and grows by a "
          "tenth and one a level.",
      .rewards = "-1 malformed, -0.5 outside 0 to 9999, 0 wrong, 1 right.",
      .differences =
          "T has at least about half the allowed digits, and counts "
          "are drawn evenly among those "
          "that come up; below 5 digits 0 and 1 may be the count, "
          "as there was one problem only "
          "at level 0.",
      .small_answer_space =
          "With few digits there are few paths: at level 0, at most 2, and at level 2 mostly 2 or "
          "3.",
      .guess_until_level = 2,
      .max_level = 60,
  };

  static constexpr std::int64_t kModulus = 10000;
  static constexpr int kDraws = 16;
  static constexpr std::size_t kMaxLength = 4000;  // the time is quadratic

  struct Config {
    int max_length = 0;
    REDQUEEN_FIELDS(max_length)
  };
  struct Problem {
    int max_length = 0;
    std::string S;
    std::string T;
    REDQUEEN_FIELDS(max_length, S, T)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.max_length = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t least = config.max_length < 5 ? 0 : 2;
    return draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<std::int64_t, Problem>> {
      Problem problem{.max_length = config.max_length, .S = {}, .T = {}};
      const std::int64_t longer = rng.integer((config.max_length + 2) / 2, config.max_length);
      const std::int64_t shorter = rng.integer(1, longer - 1);
      problem.T = draw_label(longer, rng);
      problem.S = draw_label(shorter, rng);
      const std::int64_t count = solve(problem);
      if (count < least) return std::nullopt;
      return std::pair(count, std::move(problem));
    });
  }

  // Uniform lengths and digits, drawn again while the count is 0 or 1: there is one problem only at
  // level 0.
  static Problem published(const Config& config, Rng& rng) {
    return first_of_use(
        [&]() -> std::optional<Problem> {
          Problem problem{.max_length = config.max_length, .S = {}, .T = {}};
          problem.S = draw_label(rng.integer(1, config.max_length), rng);
          problem.T = draw_label(rng.integer(1, config.max_length), rng);
          if (problem.S.size() > problem.T.size()) std::swap(problem.S, problem.T);
          if (solve(problem) < 2) return std::nullopt;
          return problem;
        },
        1000);
  }

  static Status check(const Problem& problem) {
    for (const std::string* label : {&problem.S, &problem.T}) {
      if (label->empty() || label->size() > kMaxLength || label->front() != '1' ||
          label->find_first_not_of("01") != std::string::npos) {
        return failure("\"S\" and \"T\": expected binary digits, 1 to {}, the first one 1",
                       kMaxLength);
      }
    }
    if (problem.S.size() > problem.T.size() ||
        (problem.S.size() == problem.T.size() && problem.S >= problem.T)) {
      return failure("\"S\": expected a number below \"T\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "The vertices of a directed graph are all integers ≥ 0. There is an edge from s to t if "
        "and only if s < t and the bitwise AND of s and t is 0. Written in binary, S is {} and T "
        "is {}. How many different paths lead from S to T? (A path may be the edge from S to T "
        "alone.)\n"
        "Answer with the count modulo {}, one integer from 0 to {} in decimal.",
        problem.S, problem.T, kModulus, kModulus - 1);
  }

  static double score(const Problem&, Answer answer, Answer right) {
    if (answer < 0 || answer >= kModulus) return kInvalidReward;
    return exact_reward(answer == right);
  }

  // Vertices of a path have more and more digits. Column by column from the
  // highest digit of T, with k vertices between S and T that have begun: their
  // digits in a column must not be 1 in two successive vertices. Rows of n
  // digits without two successive ones number Fibonacci(n + 2); a fixed 1 at an
  // end takes one more digit out of the row, which also holds for k = 0 with
  // Fibonacci(1) = 1 and Fibonacci(0) = 0.
  static Answer solve(const Problem& problem) {
    const std::size_t shorter = problem.S.size();
    const std::size_t longer = problem.T.size();
    if (shorter == longer) return 0;
    std::vector<std::int64_t> fibonacci{0, 1};
    while (fibonacci.size() < longer + 3) {
      fibonacci.push_back((fibonacci.back() + fibonacci[fibonacci.size() - 2]) % kModulus);
    }
    std::vector<std::int64_t> paths(longer - shorter,
                                    0);  // by the number of begun vertices
    paths[0] = 1;
    for (std::size_t column = longer - 1; column-- > 0;) {
      const std::size_t t = problem.T[longer - 1 - column] == '1';
      if (column >= shorter) {
        for (std::size_t k = longer - 1 - column; k-- > 0;) {
          if (k + 1 < paths.size()) {
            paths[k + 1] = (paths[k + 1] + paths[k] * fibonacci[k + 1 - t]) % kModulus;
          }
          paths[k] = paths[k] * fibonacci[k + 2 - t] % kModulus;
        }
      } else {
        const std::size_t s = problem.S[shorter - 1 - column] == '1';
        for (std::size_t k = 0; k < paths.size(); ++k) {
          paths[k] = paths[k] * fibonacci[k + 2 - s - t] % kModulus;
        }
      }
    }
    std::int64_t count = 0;
    for (const std::int64_t ways : paths) count += ways;
    return count % kModulus;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, std::min(2 * solve(problem) + 8, kModulus - 1));
  }

 private:
  static std::string draw_label(std::int64_t length, Rng& rng) {
    std::string label(static_cast<std::size_t>(length), '1');
    for (std::size_t i = 1; i < label.size(); ++i) label[i] = rng.chance(0.5) ? '1' : '0';
    return label;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(BitAndZero_PathCounting);

}  // namespace
}  // namespace redqueen
