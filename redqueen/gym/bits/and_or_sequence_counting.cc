#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct AndOr_Sequence_Counting : StoredCount<0> {
  static constexpr Card card{
      .name = "AndOr_Sequence_Counting",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the arrays B such that the bitwise ANDs with a given "
          "array never fall and the ORs "
          "with it never rise from one place to the next.",
      .levels =
          "The array grows from 2 numbers by a tenth and one a level; "
          "numbers have 1 to 20 bits at "
          "every level. Beyond level 30 the count takes too long.",
      .rewards =
          "-1 malformed or negative, else (min/max)^10 of the answer "
          "and the count.",
      .differences = "Only the exact count is solved.",
      .version = 2,  // a parameter with a wrong reference_answer is refused
      .max_level = 30,
  };

  static constexpr int kMostBits = 20;
  static constexpr int kMostNumbers = 126;  // of level 30; a count takes O(M N³)

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<std::int64_t> A;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, M, A, reference_answer)
  };

  static Config at_level(int level, Rng& rng) {
    return {.N = grow_by_tenth(2, level), .M = static_cast<int>(rng.integer(1, kMostBits))};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = config.M, .A = {}, .reference_answer = 0};
    for (int i = 0; i < config.N; ++i) {
      problem.A.push_back(rng.integer(0, (std::int64_t{1} << config.M) - 1));
    }
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (Status fits = within("M", problem.M, 1, kMostBits); !fits) return fits;
    if (Status fits = within("N", problem.N, 2, kMostNumbers); !fits) return fits;
    if (problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" = {} numbers, found {}", problem.N, problem.A.size());
    }
    for (const std::int64_t a : problem.A) {
      if (Status fits = within("A", a, 0, (std::int64_t{1} << problem.M) - 1); !fits) return fits;
    }
    if (problem.reference_answer != count(problem)) {
      return failure("\"reference_answer\": {} is not the count", problem.reference_answer.str());
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array A[0] to A[{0}]:\n"
        "{1}\n"
        "Count the arrays B[0] to B[{0}] of integers with 0 ≤ B[i] < 2^{2} such that for every i "
        "with 0 ≤ i < {0} both\n"
        "(A[i] AND B[i]) ≤ (A[i+1] AND B[i+1]) and\n"
        "(A[i] OR B[i]) ≥ (A[i+1] OR B[i+1]).\n"
        "AND and OR are bitwise; the results are compared as integers.\n"
        "Answer with one integer.",
        problem.N - 1, format_answer(problem.A), problem.M);
  }

 private:
  static BigInt count(const Problem& problem) {
    return count_free_bits(problem, 1) * count_free_bits(problem, 0);
  }

  // Bits of B where A has a 1 bear on the ANDs only (free = 1), the others on
  // the ORs only (free = 0). This counts the choices of one kind. Bits from low
  // to high, ways(l, length) for every interval: the ANDs ascend if the highest
  // bit is 0 on a first part and 1 on the rest, where it must be free, and both
  // parts ascend in their lower bits. For the ORs it is 1 first and then 0, and
  // what is not free is 1: again the rest must be free.
  static BigInt count_free_bits(const Problem& problem, int free) {
    const auto n = static_cast<std::size_t>(problem.N);
    using Row = std::vector<BigInt>;
    std::vector<Row> lower(n + 1);
    for (std::size_t l = 0; l <= n; ++l) lower[l].assign(n - l + 1, BigInt(1));
    std::vector<Row> ways = lower;
    for (int bit = 0; bit < problem.M; ++bit) {
      for (std::size_t l = 0; l < n; ++l) {
        for (std::size_t end = l + 1; end <= n; ++end) {
          BigInt sum = lower[l][end - l];
          for (std::size_t x = end; x-- > l && (problem.A[x] >> bit & 1) == free;) {
            sum += lower[l][x - l] * lower[x][end - x];
          }
          ways[l][end - l] = std::move(sum);
        }
      }
      std::swap(lower, ways);
    }
    return lower[0][n];
  }
};
REDQUEEN_ENVIRONMENT(AndOr_Sequence_Counting);

}  // namespace
}  // namespace redqueen
