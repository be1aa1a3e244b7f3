#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/box.h"

namespace redqueen {
namespace {

struct GridTriangleCounting {
  static constexpr Card card{
      .name = "GridTriangleCounting",
      .published = true,
      .family = Family::kGeometry,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the triangles with corners on a rectangular lattice.",
      .levels = "The bound on the sides starts at 5 and grows by half each level.",
      .rewards = "-1 malformed or not positive, else (smaller / larger)^10 of answer and number.",
      .differences =
          "One side is mostly 2 to 4 units, the other one is in the upper half of its range: on "
          "lattices of two long sides nearly all triples are triangles, and their number alone "
          "was paid well.",
      .source = "CQOI 2014: counting triangles",
  };

  static constexpr std::int64_t kMaxShortSide = 100'000;
  static constexpr std::int64_t kMaxSide = std::int64_t{1} << 62;
  static constexpr std::int64_t kThin = 4;
  static constexpr std::int64_t kSquareish = 40;

  using Config = BoxConfig;
  using Problem = Box;
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return box_at_level(level); }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t widest = rng.chance(0.75) ? kThin : kSquareish;
    Box box{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0};
    box.N = draw_upper_half(2, config.MAX_N_M, rng);
    box.M = rng.integer(2, std::min(widest, config.MAX_N_M));
    if (rng.chance(0.5)) std::swap(box.N, box.M);
    return box;
  }

  // Sides of any length, but where both are too long to count on, one is drawn again.
  static Problem published(const Config& config, Rng& rng) {
    Box box{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0};
    box.N = rng.integer(1, config.MAX_N_M);
    box.M = rng.integer(1, config.MAX_N_M);
    if (std::min(box.N, box.M) > kMaxShortSide) {
      (rng.chance(0.5) ? box.N : box.M) = rng.integer(1, kMaxShortSide);
    }
    return box;
  }

  static Status check(const Problem& problem) {
    if (std::min(problem.N, problem.M) > kMaxShortSide) {
      return failure("\"N\", \"M\": neither is at most {}", kMaxShortSide);
    }
    return check_box(problem, kMaxSide);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Consider all points (x, y) with integer coordinates such that 0 <= x <= {} and "
        "0 <= y <= {}. In how many ways can three different ones of them be chosen, in no "
        "particular order, such that they are the corners of a triangle, that is, not on one "
        "straight line? (Triangles of the same shape at different places count separately.)\n"
        "Answer with one integer.",
        problem.N, problem.M);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 1);
  }

  static Answer solve(const Problem& problem) {
    // Within these sides, 128 bits hold the cube of the number of points.
    constexpr std::int64_t kFits = std::int64_t{1} << 40;
    if ((static_cast<Int128>(problem.N) + 1) * (problem.M + 1) < kFits) {
      const Int128 count = triangles<Int128>(problem);
      constexpr std::int64_t kHalf = std::int64_t{1} << 62;
      return BigInt(static_cast<std::int64_t>(count / kHalf)) * kHalf +
             static_cast<std::int64_t>(count % kHalf);
    }
    return triangles<BigInt>(problem);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const BigInt rows = BigInt(problem.M) + 1;
    const BigInt columns = BigInt(problem.N) + 1;
    const BigInt all = triples(BigInt(rows * columns));
    const BigInt straight = rows * triples(columns) + columns * triples(rows);
    return {{"all triples", format_answer(all)},
            {"all triples less those in rows and columns", format_answer(BigInt(all - straight))}};
  }

 private:
  template <typename Number>
  static Number triples(const Number& points) {
    return points * (points - 1) * (points - 2) / 6;
  }

  // All triples less those in a row, in a column, or on a slope: a slope's triple has its ends
  // (dx, dy) apart and gcd(dx, dy) − 1 points between them. The gcd is the sum of φ over its
  // divisors, so that one sum over d = 2 … min(N, M) counts them: Σ (N + 1 − dx) over the multiples
  // dx of d, times the same of M, times φ(d), in two directions. O(min(N, M)).
  template <typename Number>
  static Number triangles(const Problem& problem) {
    const auto [shorter, longer] = std::minmax(problem.N, problem.M);
    const Number rows = Number(shorter) + 1;
    const Number columns = Number(longer) + 1;
    Number count = triples<Number>(rows * columns) - rows * triples<Number>(columns) -
                   columns * triples<Number>(rows);
    const std::vector<int> totients = totients_up_to(static_cast<int>(shorter));
    // φ(1) would count the ends of every slope, φ(d) from d = 2 on what lies between them.
    for (std::int64_t d = 2; d <= shorter; ++d) {
      count -= places<Number>(shorter, d) * places<Number>(longer, d) * 2 * totients[d];
    }
    return count;
  }

  // Σ (side + 1 − k·d) over k = 1 … ⌊side/d⌋.
  template <typename Number>
  static Number places(std::int64_t side, std::int64_t d) {
    const Number multiples = side / d;
    return multiples * (Number(side) + 1) - multiples * (multiples + 1) / 2 * d;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(GridTriangleCounting);

}  // namespace
}  // namespace redqueen
