#include <algorithm>
#include <cmath>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/counting/count_row.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct NumberPartitionCounting : StoredCount<1> {
  static constexpr Card card{
      .name = "NumberPartitionCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the partitions of a number into a given number of positive parts.",
      .levels =
          "The bound on the number starts at 10 and grows by a half a level. Beyond level 17 the "
          "reference solution would take too long.",
      .rewards =
          "-1 malformed or not positive, else (smaller / larger of answer and count)^10, which is "
          "1 only if right.",
      .differences =
          "The number lies in the upper half of its range. From level 1 on there are at least "
          "three parts, and at most half the number and three times its square root, so that "
          "neither few nor all partitions of a smaller number are asked for. Only the exact count "
          "is solved.",
      .small_answer_space = "At level 0 a number of at most 10 has at most nine such partitions.",
      .guess_until_level = 0,
      .max_level = 17,
  };

  static constexpr std::int64_t kMaxNumber = 10'000;

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    std::int64_t K = 0;
    BigInt reference_answer;
    REDQUEEN_FIELDS(MAX_N, N, K, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_half(10, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N};
    problem.N = draw_upper_half(5, config.MAX_N, rng);
    const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(problem.N)));
    const std::int64_t most = std::min(problem.N / 2, 3 * root);
    problem.K = rng.integer(std::min<std::int64_t>(config.MAX_N > 10 ? 3 : 2, most), most);
    problem.reference_answer = count(problem);
    return problem;
  }

  // The number and that of its parts are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = rng.integer(1, config.MAX_N)};
    problem.K = rng.integer(1, problem.N);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxNumber));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "In how many ways is {} a sum of exactly {} positive integers? Sums that differ only in "
        "the order of their summands are the same way.\n"
        "Answer with one integer, the exact number.",
        problem.N, problem.K);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    // C(N − 1, K − 1) ordered sums, and K! orders of most of them.
    BigInt ordered = 1;
    BigInt orders = 1;
    for (std::int64_t i = 1; i < problem.K; ++i) {
      ordered = ordered * (problem.N - i) / i;
      orders *= i + 1;
    }
    const BigInt rounded_up = (ordered + orders - 1) / orders;
    return {{"1", "1"},
            {"N - K", format_answer(problem.N - problem.K)},
            {"ordered sums over orders", format_answer(rounded_up)},
            {"ordered sums", format_answer(ordered)}};
  }

 private:
  // π √(2n/3) / ln 2, which bounds the binary logarithm of the number of partitions of n.
  static int bits_of_partitions(std::int64_t n) {
    return 2 + static_cast<int>(3.701 * std::sqrt(static_cast<double>(n)));
  }

  // One less in each part: partitions of N − K into at most K parts, or, by their conjugates, into
  // parts of at most K.
  static BigInt count(const Problem& problem) {
    const std::int64_t n = problem.N - problem.K;
    CountRow ways(n + 1, bits_of_partitions(n));
    ways.set_one(0);
    for (std::int64_t part = 1; part <= std::min(problem.K, n); ++part) {
      ways.add_shifted_repeatedly(part, part, n, bits_of_partitions(n));
    }
    return ways[n];
  }
};
REDQUEEN_ENVIRONMENT(NumberPartitionCounting);

}  // namespace
}  // namespace redqueen
