#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/witness.h"
#include "redqueen/gym/common/sequence/cuts_into.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct MaxDifferentGroupPairDivision {
  static constexpr Card card{
      .name = "MaxDifferentGroupPairDivision",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Cut an array K times; a cut earns the sum on its left times the sum on its right, "
          "within the block that it cuts. Earn as much as possible.",
      .levels =
          "From 4 numbers, a tenth and one more a level, with numbers up to N and 2 to 2 N/3 - 1 "
          "cuts. "
          "Beyond level 60 the reference solution would take long.",
      .rewards =
          "-1 malformed, -0.5 not K different places for a cut, else (amount / greatest amount)^5; "
          "if nothing can be earned, any cuts are right.",
      .differences =
          "Of four or five numbers also one cut is asked for, of more at most 2 N/3 - 1. From 6 "
          "numbers on, a problem is drawn again that is solved by cutting at even distances, at "
          "even parts of the sum, or where a cut earns most then.",
      .slow_reason = SlowReason::kStricter,
      .source = "APIO 2014: Split the sequence",
      .version = 2,
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewNumbers = 6;
  static constexpr int kDraws = 500;
  static constexpr std::int64_t kMaxN = 3000;
  static constexpr std::int64_t kMaxNumber = 100'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<std::int64_t> A;
    std::int64_t gold_answer = 0;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, K, A, gold_answer, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;  // i: between A[i] and A[i + 1]

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    // Once, as few numbers with many cuts are refused seldom and would come up most.
    const auto cuts = n < kFewNumbers ? rng.integer(1, n - 2) : rng.integer(2, 2 * n / 3 - 1);
    auto problem = draw_accepted(
        kDraws, [&] { return drawn(n, static_cast<int>(cuts), rng); },
        [&](const Problem& drawn) {
          if (drawn.gold_answer == 0) return false;
          return n < kFewNumbers || !some_rule_solves<MaxDifferentGroupPairDivision>(drawn);
        });
    problem.reference_answer = format_answer(solve(problem));
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem = drawn(config.N, static_cast<int>(rng.integer(2, config.N - 2)), rng);
    problem.reference_answer = format_answer(solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxN));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N - 1));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 0, kMaxNumber));
    RETURN_IF_ERROR(
        reference_is("gold_answer", problem.gold_answer, amount(problem, solve(problem))));
    return check_witness<MaxDifferentGroupPairDivision>("reference_answer",
                                                        problem.reference_answer, problem);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {0} numbers:\n"
        "{1}\n"
        "At first they form one block. A cut at i, from 0 to {2}, cuts the block that holds A[i] "
        "and A[i+1] between these two; it is possible only if they are in one block. It earns the "
        "sum of the left part of this block times the sum of the right part; afterwards the parts "
        "are blocks of their own. Make exactly {3} {4}, such that the total that they earn is as "
        "great as possible.\n"
        "Answer with the {3} {5} i in the order of the cuts on one line, separated by spaces.",
        problem.N, with_indices("A", problem.A), problem.N - 2, problem.K,
        problem.K == 1 ? "cut" : "cuts", problem.K == 1 ? "place" : "places");
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K || !are_distinct_indices(problem.N - 1, answer)) {
      return kInvalidReward;
    }
    return maximise_reward(amount(problem, answer), problem.gold_answer, kBeta);
  }

  // Every pair of numbers in different blocks at the end is multiplied once, in whatever order the
  // cuts are made. So the squares of the sums of the blocks must be small together.
  static Answer solve(const Problem& problem) {
    const auto sums = prefix_sums(problem);
    Answer cuts = cheapest_cut_into(problem.N, problem.K + 1, [&](int before, int last) {
      const std::int64_t sum = sums[last] - sums[before];
      return sum * sum;
    });
    cuts.pop_back();
    for (std::int64_t& cut : cuts) --cut;
    return cuts;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(0, problem.N - 2, static_cast<std::size_t>(problem.K));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer even;
    for (std::int64_t i = 1; i <= problem.K; ++i) {
      even.push_back(i * problem.N / (problem.K + 1) - 1);
    }
    return {{"at even distances", even},
            {"at even parts of the sum", by_sums(problem)},
            {"where a cut earns most, one after another", one_by_one(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    Answer first(static_cast<std::size_t>(problem.K));
    std::iota(first.begin(), first.end(), 0);
    named.push_back({"the first places", format_answer(first)});
    return named;
  }

 private:
  static Problem drawn(int n, int cuts, Rng& rng) {
    Problem problem{.N = n,
                    .K = cuts,
                    .A = draw_numbers(n, 0, n, rng),
                    .gold_answer = 0,
                    .reference_answer = {}};
    problem.gold_answer = amount(problem, solve(problem));
    return problem;
  }

  static std::vector<std::int64_t> prefix_sums(const Problem& problem) {
    std::vector<std::int64_t> sums(problem.A.size() + 1);
    std::partial_sum(problem.A.begin(), problem.A.end(), sums.begin() + 1);
    return sums;
  }

  static std::int64_t amount(const Problem& problem, Answer cuts) {
    std::ranges::sort(cuts);
    cuts.push_back(problem.N - 1);
    const auto sums = prefix_sums(problem);
    std::int64_t before = 0;  // sum of the blocks so far
    std::int64_t total = 0;
    for (const std::int64_t cut : cuts) {
      total += before * (sums[cut + 1] - before);
      before = sums[cut + 1];
    }
    return total;
  }

  // The prefix sums nearest to the parts, as far as places are left.
  static Answer by_sums(const Problem& problem) {
    const auto sums = prefix_sums(problem);
    Answer cuts;
    std::int64_t place = 1;
    for (std::int64_t i = 1; i <= problem.K; ++i) {
      const std::int64_t last = problem.N - 1 - (problem.K - i);
      const auto distance = [&](std::int64_t p) {
        return std::abs(sums[p] * (problem.K + 1) - i * sums.back());
      };
      while (place < last && distance(place + 1) <= distance(place)) ++place;
      cuts.push_back(place - 1);
      ++place;
    }
    return cuts;
  }

  static Answer one_by_one(const Problem& problem) {
    const auto sums = prefix_sums(problem);
    std::vector<char> is_end(sums.size());
    is_end[problem.N] = 1;
    Answer cuts;
    for (int count = 0; count < problem.K; ++count) {
      std::int64_t best = 0;
      std::int64_t most = -1;
      int begin = 0;
      int end = 0;
      for (int place = 1; place < problem.N; ++place) {
        if (is_end[place] == 1) {
          begin = place;
          continue;
        }
        if (end <= place) {
          end = place + 1;
          while (is_end[end] == 0) ++end;
        }
        const std::int64_t earned = (sums[place] - sums[begin]) * (sums[end] - sums[place]);
        if (earned > most) {
          most = earned;
          best = place;
        }
      }
      is_end[best] = 1;
      cuts.push_back(best - 1);
    }
    return cuts;
  }
};
REDQUEEN_ENVIRONMENT(MaxDifferentGroupPairDivision);

}  // namespace
}  // namespace redqueen
