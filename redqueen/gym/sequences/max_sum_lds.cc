#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/sequence/chain.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct MaxSumLDS {
  static constexpr Card card{
      .name = "MaxSumLDS",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Find the permutation whose longest increasing subsequences that end at each place have "
          "given lengths, and whose longest decreasing ones that begin at each place are longest "
          "in sum.",
      .levels =
          "The permutation grows from 3 numbers by a tenth and one a level. Beyond level 80 it "
          "would be too long to write.",
      .rewards =
          "-1 malformed, -0.5 not a permutation, -0.2 other lengths than given, else (sum / "
          "greatest sum)^5.",
      .differences =
          "From 5 numbers on, a problem is drawn again where numbering the places by their given "
          "length, and equal ones from right to left, is best.",
      .max_level = 80,
  };

  static constexpr double kOtherLengths = -0.2;
  static constexpr int kFewNumbers = 5;
  static constexpr int kDraws = 200;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;  // place 0 holds 0, places 1 … N the lengths
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, A, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] { return published(config, rng); };
    const auto accepted = [&] {
      return draw_accepted(kDraws, draw, [&](const Problem& problem) {
        return config.N < kFewNumbers || !some_rule_solves<MaxSumLDS>(problem);
      });
    };
    // Of five numbers, eight problems remain, some of them commoner than others.
    return draw_spread(config.N == kFewNumbers ? 12 : 1, rng, [&] {
      Problem problem = accepted();
      std::vector<std::int64_t> lengths = problem.A;
      return std::optional(std::pair(std::move(lengths), std::move(problem)));
    });
  }

  // The lengths of a random permutation.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {0}, .gold_answer = 0};
    const std::vector<int> drawn = rng.permutation(config.N);
    const Answer order(drawn.begin(), drawn.end());
    for (const int length : chain_lengths(order, Equal::kBreaks)) problem.A.push_back(length);
    problem.gold_answer = sum_of_falls(solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N + 1, 0, problem.N));
    if (problem.A[0] != 0) return failure("\"A\": the first number must be 0");
    const Answer best = solve(problem);
    if (!is_order(problem.N, best, 1) || !has_lengths(problem, best)) {
      return failure("\"A\": no permutation has these lengths");
    }
    return reference_is("gold_answer", problem.gold_answer, sum_of_falls(best));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "For a permutation P[1], …, P[{0}] of the numbers 1 to {0}, let A[i] be the length of the "
        "longest increasing subsequence of P that ends with P[i], and B[i] the length of the "
        "longest decreasing subsequence that begins with P[i]. Subsequences may have gaps; P[i] "
        "counts in both lengths.\n"
        "A[1] to A[{0}] are, in this order: {1}\n"
        "Find a permutation P with exactly these A for which B[1] + B[2] + … + B[{0}] is as great "
        "as possible.\n"
        "Answer with P[1] to P[{0}] on one line, separated by spaces.",
        problem.N,
        format_answer(std::vector<std::int64_t>(problem.A.begin() + 1, problem.A.end())));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer, 1)) return kInvalidReward;
    if (!has_lengths(problem, answer)) return kOtherLengths;
    return maximise_reward(sum_of_falls(answer), problem.gold_answer);
  }

  // Among places of equal length the numbers fall from left to right, and the latest place before
  // i with a length one less must hold a lesser number than i. A tree of these pairs, its root
  // beyond all; numbered in preorder, later children first, it demands nothing more.
  static Answer solve(const Problem& problem) {
    const int n = problem.N;
    std::vector<int> parent(n + 1, 0);
    std::vector<int> latest(n + 2, 0);  // the latest place of each length
    for (int i = 1; i <= n; ++i) {
      const std::int64_t length = std::max<std::int64_t>(problem.A[i], 1);
      parent[i] = latest[length - 1];
      latest[length] = i;
    }
    std::vector<int> size(n + 1, 1);
    for (int i = n; i > 0; --i) size[parent[i]] += size[i];
    // Where the numbers of the next subtree below a place begin. Parents stand left of children,
    // but later children are to be numbered first: their sizes are taken off the end.
    std::vector<std::int64_t> end(n + 1);
    end[0] = n + 1;
    Answer order(static_cast<std::size_t>(n));
    for (int i = 1; i <= n; ++i) {
      end[i] = end[parent[i]];
      end[parent[i]] -= size[i];
      order[i - 1] = end[parent[i]];
    }
    return order;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = ascending_order(problem.N, 1);
    rng.shuffle(answer);
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer places = descending_order(problem.N, 1);
    std::ranges::stable_sort(places, {}, [&](std::int64_t i) { return problem.A[i]; });
    Answer by_length(problem.A.size() - 1);
    for (int i = 0; i < problem.N; ++i) by_length[places[i] - 1] = i + 1;
    return {{"by length, equal ones from right to left", by_length}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"descending", format_answer(descending_order(problem.N, 1))});
    return named;
  }

 private:
  static bool has_lengths(const Problem& problem, const Answer& order) {
    return std::ranges::equal(chain_lengths(order, Equal::kBreaks),
                              std::span(problem.A).subspan(1));
  }

  static std::int64_t sum_of_falls(const Answer& order) {
    const Answer mirrored(order.rbegin(), order.rend());
    const std::vector<int> lengths = chain_lengths(mirrored, Equal::kBreaks);
    return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  }
};
REDQUEEN_ENVIRONMENT(MaxSumLDS);

}  // namespace
}  // namespace redqueen
