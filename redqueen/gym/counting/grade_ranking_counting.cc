#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/prime_binomials.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct GradeRankingCounting : StoredResidue {
  static constexpr Card card{
      .name = "GradeRankingCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo a prime, the tables of grades in which the first row has given ranks in "
          "the columns and outdoes a given number of rows in all of them.",
      .levels =
          "The bound on rows and columns starts at 2 and grows by a tenth and one each level. "
          "Beyond level 40 the powers of the reference solution would take too long.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "Numbers of rows and columns and the largest grades lie in the upper half of their "
          "ranges, and are at least 3 above level 0; no column is forced to one grade. From level "
          "2 on, it matters who is below the first row: the third condition changes the count, "
          "and by more than the choice of those rows. Other problems are drawn again.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "At level 0 there are two rows, two columns and two grades.",
      .guess_until_level = 0,
      .source = "Comparing grades (成绩比较), JLOI 2016",
      .version = 2,
      .max_level = 40,
  };

  static constexpr std::int64_t kMaxSide = 600;
  static constexpr std::int64_t kMaxModulus = 2'147'483'647;
  static constexpr std::array<std::int64_t, 2> kPrimes{1'000'000'007, 998'244'353};

  struct Config {
    std::int64_t MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    std::int64_t MAX_N_M = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t MOD = 0;
    std::vector<std::int64_t> U;
    std::vector<std::int64_t> R;
    std::int64_t K = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N_M, N, M, MOD, U, R, K, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(2, level)}; }

  // Ranks are those of a random table, in which some rows are planted below the first one.
  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{
          .MAX_N_M = config.MAX_N_M,
          .N = draw_upper_half(std::min<std::int64_t>(3, config.MAX_N_M), config.MAX_N_M, rng),
          .M = draw_upper_half(std::min<std::int64_t>(3, config.MAX_N_M), config.MAX_N_M, rng),
          .MOD = rng.choice(kPrimes)};
      plant(
          problem, [&] { return draw_upper_half(2, problem.N, rng); }, rng);
      if (config.MAX_N_M > 3 && some_rule_solves<GradeRankingCounting>(problem))
        return std::nullopt;
      return problem;
    });
  }

  // All sizes are uniform. Ranks are those of a random table, in which some rows are planted below
  // the first one.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M,
                    .N = rng.integer(2, config.MAX_N_M),
                    .M = rng.integer(2, config.MAX_N_M),
                    .MOD = rng.choice(kPrimes)};
    plant(
        problem, [&] { return rng.integer(1, problem.N); }, rng);
    return problem;
  }

  // top() draws the greatest grade of a column.
  template <typename Top>
  static void plant(Problem& problem, Top top, Rng& rng) {
    const std::int64_t below = rng.integer(0, problem.N - 1);  // rows 1 … below
    std::vector<char> beats(static_cast<std::size_t>(problem.N));
    for (std::int64_t column = 0; column < problem.M; ++column) {
      const std::int64_t greatest = top();
      const std::int64_t first = rng.integer(1, greatest);
      std::int64_t rank = 0;
      for (std::int64_t row = below + 1; row < problem.N; ++row) {
        if (rng.integer(1, greatest) <= first) continue;
        ++rank;
        beats[row] = 1;
      }
      problem.U.push_back(greatest);
      problem.R.push_back(rank);
    }
    problem.K = problem.N - 1 - std::ranges::count(beats, 1);
    problem.reference_answer = count(problem);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSide));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxSide));
    RETURN_IF_ERROR(within("MOD", problem.MOD, problem.N + 1, kMaxModulus));
    if (!is_prime(problem.MOD)) return failure("\"MOD\": {} is not a prime", problem.MOD);
    RETURN_IF_ERROR(check_numbers("U", problem.U, problem.M, 1, kMaxSide));
    RETURN_IF_ERROR(check_numbers("R", problem.R, problem.M, 0, problem.N - 1));
    RETURN_IF_ERROR(within("K", problem.K, 0, problem.N - 1));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A table A of integers has {0} rows, numbered 0 to {1}, and {2} columns, numbered 0 to "
        "{3}. Count the tables with these properties:\n"
        "1. The entries of column j lie between 1 and U[j] (both included), where U[0] to U[{3}] "
        "are: {4}\n"
        "2. In column j, exactly R[j] rows have a greater entry than row 0, where R[0] to R[{3}] "
        "are: {5}\n"
        "3. The number of rows i ≥ 1 with A[i][j] ≤ A[0][j] in every column j is exactly {6}.\n"
        "{7}",
        problem.N, problem.N - 1, problem.M, problem.M - 1, format_answer(problem.U),
        format_answer(problem.R), problem.K, ask_for_count_residue(problem.MOD));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const PrimeField field(problem.MOD);
    const PrimeBinomials choose(field, static_cast<int>(problem.N));
    const std::int64_t grades = ways_to_grade(problem);
    std::int64_t any = grades;  // whoever beats row 0 where
    for (const std::int64_t rank : problem.R) {
      any = field.multiply(any, choose(problem.N - 1, rank));
    }
    return {{"the third property is ignored", any},
            {"the grades alone", grades},
            {"the rows that are nowhere above row 0, and the grades",
             field.multiply(grades, choose(problem.N - 1, problem.K))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // In each column, the entries if it is known who beats row 0: those do so, the others do not.
  static std::int64_t ways_to_grade(const Problem& problem) {
    const PrimeField field(problem.MOD);
    std::int64_t product = 1;
    for (std::size_t j = 0; j < problem.U.size(); ++j) {
      std::int64_t ways = 0;
      for (std::int64_t first = 1; first <= problem.U[j]; ++first) {
        const std::int64_t others = field.power(field.reduce(first), problem.N - 1 - problem.R[j]);
        const std::int64_t above = field.power(field.reduce(problem.U[j] - first), problem.R[j]);
        ways = field.add(ways, field.multiply(others, above));
      }
      product = field.multiply(product, ways);
    }
    return product;
  }

  // Who beats row 0 where: only the N − 1 − K rows that are not below it, and each of them
  // somewhere, which is counted by inclusion and exclusion.
  static std::int64_t count(const Problem& problem) {
    const PrimeField field(problem.MOD);
    const PrimeBinomials choose(field, static_cast<int>(problem.N));
    const std::int64_t rows = problem.N - 1 - problem.K;
    std::int64_t sum = 0;
    for (std::int64_t beating = rows; beating >= 0; --beating) {
      std::int64_t ways = choose(rows, beating);
      for (const std::int64_t rank : problem.R) {
        ways = field.multiply(ways, choose(beating, rank));
      }
      sum = (rows - beating) % 2 == 0 ? field.add(sum, ways) : field.subtract(sum, ways);
    }
    return field.multiply(field.multiply(sum, choose(problem.N - 1, problem.K)),
                          ways_to_grade(problem));
  }
};
REDQUEEN_ENVIRONMENT(GradeRankingCounting);

}  // namespace
}  // namespace redqueen
