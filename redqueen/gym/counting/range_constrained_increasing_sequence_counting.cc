#include <algorithm>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct RangeConstrained_IncreasingSequence_Counting {
  static constexpr Card card{
      .name = "RangeConstrained_IncreasingSequence_Counting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count the sequences whose entries are 0 or lie in given intervals, such that the "
          "positive entries increase, modulo 10^9 + 7.",
      .levels =
          "The length starts at 2 and grows by a tenth and one a level. Beyond level 35 the "
          "reference solution would take too long.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "From length 3 on, the entries can neither be chosen one by one nor is only one of them "
          "ever positive.",
      .source = "Rowing (划艇), APIO 2016",
      .max_level = 35,
  };

  static constexpr std::int64_t kPrime = 1'000'000'007;
  static constexpr int kMaxLength = 220;
  static constexpr std::int64_t kMaxValue = 45'000;
  static constexpr int kDraws = 50;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> L;
    std::vector<std::int64_t> R;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, L, R, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return published(config, rng); },
        [&](const Problem& problem) {
          return config.N < 3 ||
                 !some_rule_solves<RangeConstrained_IncreasingSequence_Counting>(problem);
        });
  }

  // Each lower bound is uniform in 1 … N², each upper bound from there on.
  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t most = std::int64_t{config.N} * config.N;
    Problem problem{.N = config.N};
    problem.L = draw_numbers(config.N, 1, most, rng);
    for (const std::int64_t left : problem.L) problem.R.push_back(rng.integer(left, most));
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(check_numbers("L", problem.L, problem.N, 1, kMaxValue));
    RETURN_IF_ERROR(check_numbers("R", problem.R, problem.N, 1, kMaxValue));
    for (int i = 0; i < problem.N; ++i) {
      RETURN_IF_ERROR(within("R", problem.R[i], problem.L[i], kMaxValue));
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (int i = 0; i < problem.N; ++i) {
      append_format(list, "A[{}]: {} to {}\n", i, problem.L[i], problem.R[i]);
    }
    return fmt::format(
        "A sequence of the integers A[0], …, A[{0}] is asked for. Every A[i] is either 0 or lies "
        "in an interval of its own (both ends included):\n"
        "{1}"
        "At least one A[i] is not 0, and the entries that are not 0 strictly increase: A[i] < A[j] "
        "for all i < j with A[i] > 0 and A[j] > 0. How many such sequences are there? Give the "
        "remainder of their number when divided by {2}.\n"
        "Answer with one integer from 0 to {3}.",
        problem.N - 1, list, kPrime, kPrime - 1);
  }

  static double score(const Problem& problem, Answer answer) {
    return residue_reward(answer, problem.reference_answer, kPrime);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, kPrime - 1); }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::int64_t product = 1;
    std::int64_t sum = 0;
    for (int i = 0; i < problem.N; ++i) {
      const std::int64_t values = problem.R[i] - problem.L[i] + 1;
      product = product * (values + 1) % kPrime;
      sum += values;
    }
    return {{"every entry for itself", (product + kPrime - 1) % kPrime},
            {"one positive entry", sum % kPrime}};
  }

 private:
  // last[v]: the sequences so far whose last positive entry is v. O(N · largest).
  static std::int64_t count(const Problem& problem) {
    const std::int64_t largest = *std::ranges::max_element(problem.R);
    std::vector<std::int64_t> last(static_cast<std::size_t>(largest) + 1);
    for (int i = 0; i < problem.N; ++i) {
      std::int64_t smaller = 1;  // sequences of zeros, or that end below v
      for (std::int64_t v = 1; v <= problem.R[i]; ++v) {
        const std::int64_t before = last[v];
        if (v >= problem.L[i])
          last[v] = before + smaller >= kPrime ? before + smaller - kPrime : before + smaller;
        smaller += before;
        if (smaller >= kPrime) smaller -= kPrime;
      }
    }
    std::int64_t sum = 0;
    for (const std::int64_t ways : last) sum += ways;
    return sum % kPrime;
  }
};
REDQUEEN_ENVIRONMENT(RangeConstrained_IncreasingSequence_Counting);

}  // namespace
}  // namespace redqueen
