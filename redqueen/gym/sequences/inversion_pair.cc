#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/inversions.h"

namespace redqueen {
namespace {

struct InversionPair : StoredCount<0> {
  static constexpr Card card{
      .name = "InversionPair",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Swap neighbours within two arrays as few times as possible so that the sum of the "
          "squared differences between their elements becomes as small as possible.",
      .levels =
          "The arrays grow from 3 numbers by a tenth and one a level. Beyond level 75 they would "
          "be too long to read.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the right number.",
      .differences =
          "The right number is uniform in 0 … N(N-1)/2; of independent arrays it lies near the "
          "middle of that range, which solved many problems and paid for more. From 5 numbers on, "
          "a "
          "problem is drawn again that counting the inversions of each array alone solves.",
      .source = "NOIP 2013, Matchstick Rows.",
      .max_level = 75,
  };

  static constexpr int kFewNumbers = 5;
  static constexpr int kDraws = 100;
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::vector<std::int64_t> B;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, A, B, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] { return drawn(config.N, rng); };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return config.N < kFewNumbers || !some_rule_solves<InversionPair>(problem);
    });
  }

  // Two independent lists of different numbers below 2N.
  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    Problem problem{.N = config.N, .A = {}, .B = {}, .reference_answer = 0};
    problem.A = rng.sample(0, 2 * n - 1, static_cast<std::size_t>(n));
    problem.B = rng.sample(0, 2 * n - 1, static_cast<std::size_t>(n));
    problem.reference_answer = fewest_moves(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    for (const auto& [key, list] : {std::pair("A", &problem.A), std::pair("B", &problem.B)}) {
      RETURN_IF_ERROR(check_numbers(key, *list, problem.N, -kMaxValue, kMaxValue));
      std::vector<std::int64_t> sorted = *list;
      std::ranges::sort(sorted);
      if (std::ranges::adjacent_find(sorted) != sorted.end()) {
        return failure("\"{}\": a number comes twice", key);
      }
    }
    return reference_is("reference_answer", problem.reference_answer, fewest_moves(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are two arrays of {0} different integers each, with places 0 to {1}.\n"
        "A: {2}\n"
        "B: {3}\n"
        "One move exchanges two elements at neighbouring places of the same array, A or B. Call D "
        "the least value that the sum of (A[i] - B[i])^2 over all places i can take, however the "
        "elements are moved about within their arrays.\n"
        "What is the least number of moves after which that sum equals D?\n"
        "Answer with one integer.",
        problem.N, problem.N - 1, format_answer(problem.A), format_answer(problem.B));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::int64_t of_a = count_inversions(problem.A);
    const std::int64_t of_b = count_inversions(problem.B);
    return {{"the moves that sort both arrays", of_a + of_b},
            {"the moves that sort one less those that sort the other", std::abs(of_a - of_b)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back(
        {"half of all pairs", format_answer(std::int64_t{problem.N} * (problem.N - 1) / 4)});
    return named;
  }

 private:
  static Problem drawn(int count, Rng& rng) {
    const std::int64_t n = count;
    Problem problem{.N = count, .A = {}, .B = {}, .reference_answer = 0};
    problem.A = rng.sample(0, 2 * n - 1, static_cast<std::size_t>(n));
    problem.B = rng.sample(0, 2 * n - 1, static_cast<std::size_t>(n));
    problem.reference_answer = rng.integer(0, n * (n - 1) / 2);
    const std::vector<int> order = order_with_inversions(count, problem.reference_answer, rng);
    std::vector<std::int64_t> sorted = problem.A;
    std::ranges::sort(sorted);
    const std::vector<std::int64_t> ranks = ranks_of(problem.B);
    for (int i = 0; i < count; ++i) problem.A[i] = sorted[ranks[order[i]]];
    return problem;
  }

  static std::vector<std::int64_t> ranks_of(const std::vector<std::int64_t>& values) {
    std::vector<std::int64_t> sorted = values;
    std::ranges::sort(sorted);
    std::vector<std::int64_t> ranks;
    ranks.reserve(values.size());
    for (const std::int64_t value : values) {
      ranks.push_back(std::ranges::lower_bound(sorted, value) - sorted.begin());
    }
    return ranks;
  }

  // The sum is least when equal ranks meet (rearrangement inequality). A swap in B does to the
  // pairing what a swap in A does, so A alone may move: into the order of B.
  static std::int64_t fewest_moves(const Problem& problem) {
    std::vector<std::int64_t> place_in_b(problem.B.size());
    const std::vector<std::int64_t> ranks_b = ranks_of(problem.B);
    for (int i = 0; i < problem.N; ++i) place_in_b[ranks_b[i]] = i;
    std::vector<std::int64_t> wanted = ranks_of(problem.A);
    for (std::int64_t& place : wanted) place = place_in_b[place];
    return count_inversions(wanted);
  }
};
REDQUEEN_ENVIRONMENT(InversionPair);

}  // namespace
}  // namespace redqueen
