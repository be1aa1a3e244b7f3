#include <algorithm>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/best_ratio.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct FractionalProgramming {
  static constexpr Card card{
      .name = "FractionalProgramming",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Of N pairs of numbers choose K such that the sum of their first numbers divided by that "
          "of their second ones is as great as possible.",
      .levels =
          "From 3 pairs, a tenth and one more a level; second numbers are at most N, first ones at "
          "most twice the second. Beyond level 70 the list would be too long to read.",
      .rewards = "-1 malformed, -0.5 not K different indices, else (quotient / greatest)^5.",
      .differences =
          "Of three pairs also one is chosen, not only two. From 5 pairs on, a problem is drawn "
          "again that is solved by the pairs with the greatest quotients, by the greatest first or "
          "the smallest second numbers, or by the greatest gain over the quotient of all pairs.",
      .source = "W. Dinkelbach, On nonlinear fractional programming, Management Science 13, 1967",
      .max_level = 70,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewPairs = 5;
  static constexpr int kDraws = 1000;
  static constexpr int kMaxProportion = 2;
  static constexpr std::int64_t kMaxN = 10'000;
  static constexpr std::int64_t kMaxNumber = 100'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<std::int64_t> A;
    std::vector<std::int64_t> B;
    std::string reference_answer;
    std::int64_t gold_SumA = 0;
    std::int64_t gold_SumB = 0;
    REDQUEEN_FIELDS(N, K, A, B, reference_answer, gold_SumA, gold_SumB)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, config.N == 3 ? 1 : 2, rng); },
        [&](const Problem& problem) {
          return config.N < kFewPairs || !some_rule_solves<FractionalProgramming>(problem);
        });
  }

  static Problem published(const Config& config, Rng& rng) { return drawn(config, 2, rng); }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 1, kMaxNumber));
    RETURN_IF_ERROR(check_numbers("B", problem.B, problem.N, 1, kMaxNumber));
    // Other choices may be as good; that of the parameter has to be one of them.
    const auto choice = parse_answer<Answer>(problem.reference_answer);
    if (!choice || !is_choice(problem, *choice)) {
      return failure("\"reference_answer\": it is no choice of {} indices", problem.K);
    }
    const RatioSums sums = sums_of(problem, *choice);
    RETURN_IF_ERROR(reference_is("gold_SumA", problem.gold_SumA, sums.above));
    RETURN_IF_ERROR(reference_is("gold_SumB", problem.gold_SumB, sums.below));
    if (sums_of(problem, solve(problem)).equals(sums)) return {};
    return failure("\"reference_answer\": there are better choices");
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (int i = 0; i < problem.N; ++i) {
      append_format(list, "{} {} {}\n", i, problem.A[i], problem.B[i]);
    }
    return fmt::format(
        "Each of these {0} lines gives an index i and two numbers, A[i] and B[i]:\n"
        "{1}"
        "Choose exactly {2} different {3}. Divide the sum of A[i] over the chosen indices by the "
        "sum of B[i] over them. This quotient must be as great as possible.\n"
        "Answer with the chosen indices in any order on one line, separated by spaces.",
        problem.N, list, problem.K, problem.K == 1 ? "index" : "indices");
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_choice(problem, answer)) return kInvalidReward;
    const RatioSums sums = sums_of(problem, answer);
    return maximise_reward(sums.above * problem.gold_SumB, problem.gold_SumA * sums.below, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return best_ratio_choice(
        sums_of_all(problem),
        [&](const RatioSums& sums) { return with_greatest_gain(problem, sums); },
        [&](const Answer& choice) { return sums_of(problem, choice); });
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(0, problem.N - 1, static_cast<std::size_t>(problem.K));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto& [a, b] = std::tie(problem.A, problem.B);
    return {{"the greatest quotients",
             first_by(problem, [&](auto i, auto j) { return a[i] * b[j] > a[j] * b[i]; })},
            {"the greatest A", first_by(problem, [&](auto i, auto j) { return a[i] > a[j]; })},
            {"the smallest B", first_by(problem, [&](auto i, auto j) { return b[i] < b[j]; })},
            {"the greatest gain over the quotient of all",
             with_greatest_gain(problem, sums_of_all(problem))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back(
        {"the first", format_answer(first_by(problem, [](auto, auto) { return false; }))});
    return named;
  }

 private:
  // `fewest`: pairs that are to be chosen.
  static Problem drawn(const Config& config, int fewest, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .K = static_cast<int>(rng.integer(fewest, n - 1)),
                    .A = {},
                    .B = draw_numbers(n, 1, n, rng),
                    .reference_answer = {},
                    .gold_SumA = 0,
                    .gold_SumB = 0};
    for (const std::int64_t b : problem.B) problem.A.push_back(rng.integer(1, kMaxProportion * b));
    const Answer best = solve(problem);
    const RatioSums sums = sums_of(problem, best);
    problem.reference_answer = format_answer(best);
    problem.gold_SumA = sums.above;
    problem.gold_SumB = sums.below;
    return problem;
  }

  static bool is_choice(const Problem& problem, const Answer& answer) {
    return std::ssize(answer) == problem.K && are_distinct_indices(problem.N, answer);
  }

  static RatioSums sums_of(const Problem& problem, const Answer& choice) {
    RatioSums sums{.above = 0, .below = 0};
    for (const std::int64_t i : choice) {
      sums.above += problem.A[i];
      sums.below += problem.B[i];
    }
    return sums;
  }

  static RatioSums sums_of_all(const Problem& problem) {
    return {.above = std::reduce(problem.A.begin(), problem.A.end()),
            .below = std::reduce(problem.B.begin(), problem.B.end())};
  }

  // K indices, ascending, that come first in the order that `before` sets.
  template <typename Before>
  static Answer first_by(const Problem& problem, Before before) {
    Answer order(problem.A.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::nth_element(order, order.begin() + problem.K - 1, [&](auto i, auto j) {
      return before(i, j) || (!before(j, i) && i < j);
    });
    order.resize(static_cast<std::size_t>(problem.K));
    std::ranges::sort(order);
    return order;
  }

  // sums of K indices or of all: at most 10^9 each.
  static Answer with_greatest_gain(const Problem& problem, const RatioSums& sums) {
    const auto gain = [&](std::int64_t i) {
      return sums.below * problem.A[i] - sums.above * problem.B[i];
    };
    return first_by(problem, [&](auto i, auto j) { return gain(i) > gain(j); });
  }
};
REDQUEEN_ENVIRONMENT(FractionalProgramming);

}  // namespace
}  // namespace redqueen
