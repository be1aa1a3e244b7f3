#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct NoDoubleTripleCounting : StoredCount<1> {
  static constexpr Card card{
      .name = "NoDoubleTripleCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the subsets of 1 … N that hold no number together with its double or its triple.",
      .levels =
          "The bound on N starts at 10 and grows by a half a level. Beyond level 18 the count "
          "would have more digits than an answer may have.",
      .rewards =
          "-1 malformed or not positive, else (smaller / larger of answer and count)^10, which is "
          "1 only if right.",
      .differences =
          "N lies in the upper half of its range. Only the exact count is solved. The statement "
          "says that the empty set counts.",
      .small_answer_space = "At level 0 there are six values of N.",
      .guess_until_level = 0,
      .source = "Choosing a set (集合选数), HNOI 2012",
      .max_level = 18,
  };

  static constexpr std::int64_t kMaxNumber = 18'000;  // its count has 4148 digits

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    BigInt reference_answer;
    REDQUEEN_FIELDS(MAX_N, N, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_half(10, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N};
    problem.N = draw_upper_half(3, config.MAX_N, rng);
    problem.reference_answer = count(problem.N);
    return problem;
  }

  // N is uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = rng.integer(3, config.MAX_N)};
    problem.reference_answer = count(problem.N);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxNumber));
    return reference_is("reference_answer", problem.reference_answer, count(problem.N));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A set of integers is called good if for no number x in it the set also holds 2x or 3x. "
        "How many good sets consist of numbers from 1 to {} only? The empty set is good and "
        "counts.\n"
        "Answer with one integer, the exact number.",
        problem.N);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    // The numbers without double and triple among them are free.
    const std::int64_t free = problem.N - problem.N / 2;
    return {{"sets of numbers above one half", format_answer(BigInt(BigInt(1) << free))},
            {"three in five numbers free", format_answer(BigInt(BigInt(1) << 3 * problem.N / 5))}};
  }

 private:
  // The numbers 2^i·3^j up to some limit, in a grid: the good sets of them are those without
  // neighbours.
  struct Shape {
    std::int64_t limit;  // the largest of the numbers
    std::uint64_t good_sets;
  };

  // Row by row: row i holds the 2^i·3^j ≤ limit.
  static std::uint64_t good_sets_of_grid(std::int64_t limit) {
    std::vector<std::uint64_t> ways{1};  // by the set chosen in the row before
    for (std::int64_t power = 1; power <= limit; power *= 2) {
      int length = 0;
      for (std::int64_t x = power; x <= limit; x *= 3) ++length;
      std::vector<std::uint64_t> next(std::size_t{1} << length);
      for (std::size_t set = 0; set < next.size(); ++set) {
        if ((set & (set >> 1)) != 0) continue;
        for (std::size_t before = 0; before < ways.size(); ++before) {
          if ((set & before) == 0) next[set] += ways[before];
        }
      }
      ways = std::move(next);
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t way : ways) sum += way;
    return sum;
  }

  // Of all limits, ascending; the last one is beyond kMaxNumber.
  static const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all = [] {
      std::vector<Shape> found;
      for (std::int64_t two = 1; two <= 2 * kMaxNumber; two *= 2) {
        for (std::int64_t x = two; x <= 2 * kMaxNumber; x *= 3) found.push_back({x, 0});
      }
      std::ranges::sort(found, {}, &Shape::limit);
      for (Shape& shape : found) {
        if (shape.limit <= kMaxNumber) shape.good_sets = good_sets_of_grid(shape.limit);
      }
      return found;
    }();
    return all;
  }

  // Of 1 … n.
  static std::int64_t coprime_to_six(std::int64_t n) {
    return n / 6 * 2 + (n % 6 >= 1 ? 1 : 0) + (n % 6 == 5 ? 1 : 0);
  }

  // Every number is r·2^i·3^j with r coprime to 6; the r do not bear on each other, and those with
  // the same multiples up to n have the same grid.
  static BigInt count(std::int64_t n) {
    BigInt product = 1;
    const std::vector<Shape>& all = shapes();
    for (std::size_t i = 0; all[i].limit <= n; ++i) {
      const std::int64_t roots =
          coprime_to_six(n / all[i].limit) - coprime_to_six(n / all[i + 1].limit);
      if (roots > 0) {
        product *=
            boost::multiprecision::pow(BigInt(all[i].good_sets), static_cast<unsigned>(roots));
      }
    }
    return product;
  }
};
REDQUEEN_ENVIRONMENT(NoDoubleTripleCounting);

}  // namespace
}  // namespace redqueen
