#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

Int128 floor_divide(Int128 a, Int128 b) {
  const Int128 quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

struct BinaryLinearEquation_SolutionCounting {
  static constexpr Card card{
      .name = "BinaryLinearEquation_SolutionCounting",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the integer points of a line within a rectangle.",
      .levels =
          "The bound on coefficients and coordinates starts at 8 and doubles each level. Beyond "
          "level 27 the constant term leaves 64 bits.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the count.",
      .differences =
          "Most coefficients are small beside the rectangle and the counts are spread; with "
          "uniform ones the planted point is the only one in almost half of the problems.",
      .max_level = 27,
  };

  static constexpr std::int64_t kMaxNumber = std::int64_t{1} << 31;
  static constexpr std::int64_t kMaxConstant = std::int64_t{1} << 62;
  static constexpr double kUnplantedShare = 0.15;
  static constexpr double kZeroShare = 0.03;  // of coefficients
  static constexpr int kDraws = 4;

  struct Config {
    std::int64_t MAX_RANGE = 0;
    REDQUEEN_FIELDS(MAX_RANGE)
  };
  struct Problem {
    std::int64_t MAX_RANGE = 0;
    std::int64_t A = 0;
    std::int64_t B = 0;
    std::int64_t C = 0;
    std::int64_t X1 = 0;
    std::int64_t X2 = 0;
    std::int64_t Y1 = 0;
    std::int64_t Y2 = 0;
    REDQUEEN_FIELDS(MAX_RANGE, A, B, C, X1, X2, Y1, Y2)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_RANGE = multiply(8, 2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
      const Problem problem = draw_rectangle(config.MAX_RANGE, rng);
      return std::pair(solve(problem), problem);
    });
  }

  static Problem draw_rectangle(std::int64_t range, Rng& rng) {
    Problem problem{.MAX_RANGE = range};
    problem.A = draw_coefficient(range, rng);
    problem.B = draw_coefficient(range, rng);
    if (problem.A == 0 && problem.B == 0) problem.A = 1;
    const std::int64_t x = rng.integer(-range, range);
    const std::int64_t y = rng.integer(-range, range);
    problem.X1 = rng.integer(-range, x);
    problem.X2 = rng.integer(x, range);
    problem.Y1 = rng.integer(-range, y);
    problem.Y2 = rng.integer(y, range);
    problem.C = -(problem.A * x + problem.B * y);
    if (rng.chance(kUnplantedShare)) problem.C += rng.integer(-range, range);
    return problem;
  }

  // Mostly small: as likely to have few bits as many.
  static std::int64_t draw_coefficient(std::int64_t range, Rng& rng) {
    if (rng.chance(kZeroShare)) return 0;
    const std::int64_t most = rng.integer(1, std::max<std::int64_t>(2, range / 2));
    const std::int64_t size = rng.integer(1, rng.integer(1, most));
    return rng.chance(0.5) ? size : -size;
  }

  // Uniform coefficients, and a rectangle around a planted point, so that about every second count
  // is 1; in a twentieth of the problems, nothing is planted.
  static Problem published(const Config& config, Rng& rng) {
    constexpr double kNothingPlanted = 0.05;
    const std::int64_t range = config.MAX_RANGE;
    Problem problem{.MAX_RANGE = range};
    problem.A = rng.integer(-range, range);
    problem.B = rng.integer(-range, range);
    if (rng.chance(kNothingPlanted)) {
      problem.X1 = rng.integer(-range, range);
      problem.X2 = rng.integer(problem.X1, range);
      problem.Y1 = rng.integer(-range, range);
      problem.Y2 = rng.integer(problem.Y1, range);
      problem.C = rng.integer(-2 * range * range, 2 * range * range);
      return problem;
    }
    const std::int64_t x = rng.integer(-range, range);
    const std::int64_t y = rng.integer(-range, range);
    problem.C = -(problem.A * x + problem.B * y);
    problem.X1 = rng.integer(-range, x);
    problem.X2 = rng.integer(x, range);
    problem.Y1 = rng.integer(-range, y);
    problem.Y2 = rng.integer(y, range);
    return problem;
  }

  static Status check(const Problem& problem) {
    for (const auto& [key, value] :
         {std::pair{"A", problem.A}, std::pair{"B", problem.B}, std::pair{"X1", problem.X1},
          std::pair{"X2", problem.X2}, std::pair{"Y1", problem.Y1}, std::pair{"Y2", problem.Y2}}) {
      if (auto sound = within(key, value, -kMaxNumber, kMaxNumber); !sound) return sound;
    }
    return within("C", problem.C, -kMaxConstant, kMaxConstant)
        .and_then([&] { return within("X2", problem.X2, problem.X1, kMaxNumber); })
        .and_then([&] { return within("Y2", problem.Y2, problem.Y1, kMaxNumber); });
  }

  static std::string prompt(const Problem& problem) {
    const auto signed_term = [](std::int64_t coefficient) {
      return fmt::format(" {} {}", coefficient < 0 ? '-' : '+', factor_text(std::abs(coefficient)));
    };
    const std::string constant =
        problem.C == 0 ? "" : fmt::format(" {} {}", problem.C < 0 ? '-' : '+', std::abs(problem.C));
    return fmt::format(
        "Count the pairs of integers (x, y) with {}{}x{}y{} = 0, {} ≤ x ≤ {} and {} ≤ y ≤ {}.\n"
        "Answer with the exact count, one integer (0 if there is none).",
        problem.A < 0 ? "-" : "", factor_text(std::abs(problem.A)), signed_term(problem.B),
        constant, problem.X1, problem.X2, problem.Y1, problem.Y2);
  }

  // What stands before an unknown; 0 is written, so that the unknown appears.
  static std::string factor_text(std::int64_t size) {
    return size == 1 ? "" : fmt::format("{}·", size);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return count_reward(answer, solve(problem), 0);
  }

  static Answer solve(const Problem& problem) {
    if (problem.B == 0 && problem.A == 0) {
      const Int128 points = Int128{problem.X2 - problem.X1 + 1} * (problem.Y2 - problem.Y1 + 1);
      return problem.C == 0 ? BigInt(points) : BigInt(0);
    }
    if (problem.B == 0) {
      return BigInt(
          count_x(problem.B, problem.A, problem.C, problem.Y1, problem.Y2, problem.X1, problem.X2));
    }
    return BigInt(
        count_x(problem.A, problem.B, problem.C, problem.X1, problem.X2, problem.Y1, problem.Y2));
  }

  // How many x of [x1, x2] leave a·x + c divisible by b ≠ 0, with the quotient −y in range. Such x
  // are one residue class, and the bounds on y bound a·x.
  static Int128 count_x(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t x1,
                        std::int64_t x2, std::int64_t y1, std::int64_t y2) {
    const std::int64_t gcd = std::gcd(a, b);
    if (c % gcd != 0) return 0;
    const std::int64_t step = std::abs(b) / gcd;
    const std::int64_t first =
        mul_mod(residue(-(c / gcd), step), inverse_mod(a / gcd, step).value_or(0), step);
    Int128 low = x1;
    Int128 high = x2;
    const auto [least, most] = std::minmax({-c - Int128{b} * y1, -c - Int128{b} * y2});
    if (a == 0) {
      if (least > 0 || most < 0) return 0;
    } else {
      const auto [from, to] = a > 0 ? std::pair(least, most) : std::pair(-most, -least);
      const Int128 size = std::abs(a);
      low = std::max(low, -floor_divide(-from, size));
      high = std::min(high, floor_divide(to, size));
    }
    if (low > high) return 0;
    return floor_divide(high - first, step) - floor_divide(low - 1 - first, step);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_ENVIRONMENT(BinaryLinearEquation_SolutionCounting);

}  // namespace
}  // namespace redqueen
