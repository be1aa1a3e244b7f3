#include <algorithm>
#include <functional>
#include <map>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct GoldWashing : StoredCount<1> {
  static constexpr Card card{
      .name = "GoldWashing",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Pairs of numbers are grouped by the products of their digits. Give the size of the "
          "largest groups together.",
      .levels =
          "A bound starts at 5 and grows by a tenth and one each level; the numbers go up to ten "
          "to twenty times of it. Beyond level 60 the tables of the reference solution would take "
          "too long.",
      .rewards =
          "-1 malformed or not positive, else (smaller / larger of answer and sum)^10, which is 1 "
          "only if right.",
      .differences =
          "The numbers go up to ten to twenty times the published bound: up to 10 every product "
          "occurs once, so that the answer was the number of groups that the prompt asks for.",
      .source = "Gold washing (淘金), SDOI 2013",
      .max_level = 60,
  };

  static constexpr std::int64_t kMaxNumber = 1'000'000;

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    std::int64_t K = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N, N, K, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_tenth(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = rng.integer(10 * config.MAX_N, 20 * config.MAX_N)};
    problem.K = rng.integer(problem.N / 4, problem.N);
    problem.reference_answer = sum_of_largest(problem);
    return problem;
  }

  // N and K are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = rng.integer(2, config.MAX_N)};
    problem.K = rng.integer(1, problem.N);
    problem.reference_answer = sum_of_largest(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxNumber));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N * problem.N));
    return reference_is("reference_answer", problem.reference_answer, sum_of_largest(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "For a positive integer x, let f(x) be the product of its decimal digits; f(x) = 0 if a "
        "digit is 0. For each pair (a, b) of integers from 1 to {0}, let g(a, b) be the number of "
        "pairs (x, y) of integers from 1 to {0} with f(x) = a and f(y) = b. All pairs are ordered. "
        "The {0}·{0} values g(a, b), zeros included, are sorted from the largest to the smallest. "
        "What is the sum of the first {1} of them?\n"
        "Answer with one integer.",
        problem.N, problem.K);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::map<std::int64_t, std::int64_t> sizes = group_sizes(problem.N);
    const std::int64_t largest = sizes.rbegin()->first;
    return {{"K itself", format_answer(problem.K)},
            {"K times the largest", format_answer(problem.K * largest * largest)}};
  }

 private:
  // How many digit products occur how often among 1 … n, by how often. A product does not pass its
  // number.
  static std::map<std::int64_t, std::int64_t> group_sizes(std::int64_t n) {
    std::vector<std::int32_t> product(static_cast<std::size_t>(n) + 1);
    std::vector<std::int32_t> occurrences(product.size());
    for (std::int64_t x = 1; x <= n; ++x) {
      product[x] = static_cast<std::int32_t>(x < 10 ? x : product[x / 10] * (x % 10));
      ++occurrences[product[x]];
    }
    std::map<std::int64_t, std::int64_t> sizes;
    for (std::int64_t a = 1; a <= n; ++a) {
      if (occurrences[a] > 0) ++sizes[occurrences[a]];
    }
    return sizes;
  }

  static std::int64_t sum_of_largest(const Problem& problem) {
    const std::map<std::int64_t, std::int64_t> sizes = group_sizes(problem.N);
    std::map<std::int64_t, std::int64_t, std::greater<>> pairs;  // groups of pairs, by size
    for (const auto& [a, groups_of_a] : sizes) {
      for (const auto& [b, groups_of_b] : sizes) pairs[a * b] += groups_of_a * groups_of_b;
    }
    std::int64_t left = problem.K;
    std::int64_t sum = 0;
    for (const auto& [size, groups] : pairs) {
      const std::int64_t taken = std::min(left, groups);
      sum += taken * size;
      left -= taken;
    }
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(GoldWashing);

}  // namespace
}  // namespace redqueen
