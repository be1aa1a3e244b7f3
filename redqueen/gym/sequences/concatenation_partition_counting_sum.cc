#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct ConcatenationPartitionCountingSum : StoredResidue {
  static constexpr Card card{
      .name = "ConcatenationPartitionCountingSum",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Cut a string of digits in every way, add up the pieces of each as numbers, and add up "
          "the numbers of ordered partitions of these sums into parts up to M.",
      .levels =
          "The string grows from 2 digits by a tenth and one a level. Beyond level 40 the "
          "reference solution would take too long.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "M is at least 2, because M = 1 makes the string irrelevant, the modulus at least 1000, "
          "and the first digit is not 0.",
      .max_level = 40,
  };

  static constexpr int kMostParts = 5;
  static constexpr int kMaxDigits = 1000;
  static constexpr int kMaxModulus = 1'000'000;

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::string S;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, M, S, MOD, reference_answer)
  };

  static Config at_level(int level, Rng& rng) {
    return {.N = grow_by_tenth(2, level), .M = static_cast<int>(rng.integer(2, kMostParts))};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = config.M, .S = {}, .MOD = 0, .reference_answer = 0};
    for (int i = 0; i < config.N; ++i) {
      problem.S += static_cast<char>('0' + rng.integer(i == 0 ? 1 : 0, 9));
    }
    problem.MOD = rng.integer(1000, 10'000);
    problem.reference_answer = sum_over_cuts(problem);
    return problem;
  }

  static Config published_level(int level, Rng& rng) {
    return {.N = grow_by_tenth(2, level), .M = static_cast<int>(rng.integer(1, kMostParts))};
  }

  // The digits and the modulus are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = config.M, .S = {}, .MOD = 0, .reference_answer = 0};
    for (int i = 0; i < config.N; ++i) problem.S += static_cast<char>('0' + rng.integer(0, 9));
    problem.MOD = rng.integer(2, 10'000);
    problem.reference_answer = sum_over_cuts(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxDigits));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMostParts));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    if (std::ssize(problem.S) != problem.N ||
        problem.S.find_first_not_of("0123456789") != std::string::npos) {
      return failure("\"S\": expected {} digits", problem.N);
    }
    return reference_is("reference_answer", problem.reference_answer, sum_over_cuts(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Let F(0) = 1, and for every n ≥ 1 let F(n) be the sum of F(n-m) over all m from 1 to the "
        "smaller one of n and {0}.\n"
        "Here is a string of {1} digits: {2}\n"
        "It can be cut into consecutive non-empty pieces in 2^{3} ways (one piece is one of them). "
        "For each way, read the pieces as decimal numbers, which may begin with zeros, let s be "
        "the sum of these numbers, and take F(s).\n"
        "What is the remainder of the sum of all these F(s) when divided by {4}?\n"
        "Answer with one integer from 0 to {5}.",
        problem.M, problem.N, problem.S, problem.N - 1, problem.MOD, problem.MOD - 1);
  }

 private:
  // A residue of polynomials in x modulo MOD and x^M − x^(M−1) − … − 1: what x^s leaves tells F(s)
  // from F(0) … F(M−1), and products add up exponents.
  using Power = std::array<std::int64_t, kMostParts>;

  static Power times(const Problem& problem, const Power& a, const Power& b) {
    const int m = problem.M;
    std::array<std::int64_t, 2 * kMostParts> product{};
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < m; ++j) product[i + j] += a[i] * b[j];
    }
    for (int i = 2 * m - 2; i >= m; --i) {
      const std::int64_t lead = product[i] % problem.MOD;
      for (int j = 1; j <= m; ++j) product[i - j] += lead;
    }
    Power result{};
    for (int i = 0; i < m; ++i) result[i] = product[i] % problem.MOD;
    return result;
  }

  // sums[i]: the sum of x^s over all cuts of the first i digits. A piece is prolonged to the left,
  // by digits d that count d·10^k each.
  static std::int64_t sum_over_cuts(const Problem& problem) {
    const int n = problem.N;
    Power one{};
    one[0] = 1 % problem.MOD;
    Power x{};  // x^(10^k)
    if (problem.M > 1) {
      x[1] = one[0];
    } else {
      x[0] = one[0];
    }
    std::vector<std::array<Power, 10>> digits(static_cast<std::size_t>(n));
    for (auto& row : digits) {
      row[0] = one;
      for (int d = 1; d < 10; ++d) row[d] = times(problem, row[d - 1], x);
      x = times(problem, row[9], x);
    }
    std::vector<Power> sums(static_cast<std::size_t>(n) + 1);
    sums[0] = one;
    for (int end = 1; end <= n; ++end) {
      Power piece = one;
      for (int begin = end - 1; begin >= 0; --begin) {
        piece = times(problem, piece, digits[end - 1 - begin][problem.S[begin] - '0']);
        const Power part = times(problem, sums[begin], piece);
        for (int i = 0; i < problem.M; ++i) sums[end][i] += part[i];
      }
      for (std::int64_t& entry : sums[end]) entry %= problem.MOD;
    }
    std::array<std::int64_t, kMostParts> f{1};
    std::int64_t result = 0;
    for (int i = 0; i < problem.M; ++i) {
      for (int j = 0; j < i; ++j) f[i] += f[j];
      result += f[i] * sums[n][i];
    }
    return result % problem.MOD;
  }
};
REDQUEEN_ENVIRONMENT(ConcatenationPartitionCountingSum);

}  // namespace
}  // namespace redqueen
