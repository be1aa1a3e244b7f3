#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/chain.h"
#include "redqueen/gym/common/sequence/fenwick.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct WeightedLIS {
  static constexpr Card card{
      .name = "WeightedLIS",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task = "Choose places at which an array never decreases, of the greatest total weight.",
      .levels =
          "The arrays grow from 4 numbers by a tenth and one a level. Beyond level 70 they would "
          "be too long to read.",
      .rewards =
          "-1 malformed, -0.5 places that do not ascend or values that decrease, else (weight / "
          "greatest weight)^5.",
      .differences =
          "From 6 numbers on, a problem is drawn again that is solved by most places, by the "
          "heaviest that fit, or by taking whatever fits from left to right. In half of the "
          "problems with up to 11 numbers, a heavy number, some of middle weight and many light "
          "ones stand in runs that do not fit each other, but for some exchanges.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 70,
  };

  static constexpr int kFewNumbers = 6;  // fewer: some simple rule nearly always wins
  static constexpr int kManyNumbers = 12;
  static constexpr int kDraws = 200;
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> arrayA;
    std::vector<std::int64_t> arrayB;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, arrayA, arrayB, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .arrayA = {}, .arrayB = {}, .gold_answer = 0};
    const bool arranged = config.N >= kFewNumbers && config.N < kManyNumbers && rng.chance(0.5);
    for (int draw = 0; draw < kDraws; ++draw) {
      problem.arrayB = draw_numbers(config.N, 1, config.N, rng);
      problem.arrayA = draw_numbers(config.N, 0, config.N, rng);
      if (arranged) arrange(problem, rng);
      problem.gold_answer = weight_of(problem, solve(problem));
      if (config.N < kFewNumbers || !some_rule_is_best(problem)) return problem;
    }
    throw Retry();
  }

  // Values and weights are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .arrayA = {}, .arrayB = {}, .gold_answer = 0};
    problem.arrayA = draw_numbers(config.N, 0, config.N, rng);
    problem.arrayB = draw_numbers(config.N, 1, config.N, rng);
    problem.gold_answer = weight_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("arrayA", problem.arrayA, problem.N, -kMaxValue, kMaxValue));
    RETURN_IF_ERROR(check_numbers("arrayB", problem.arrayB, problem.N, 1, kMaxValue));
    return reference_is("gold_answer", problem.gold_answer, weight_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are two arrays of {} integers each, with places from 0:\n"
        "{}\n"
        "{}\n"
        "Choose places i1 < i2 < … < ik such that the values of A there never decrease: A[i1] ≤ "
        "A[i2] ≤ … ≤ A[ik]. Equal values may follow each other. The weight of the choice is B[i1] "
        "+ B[i2] + … + B[ik]; it shall be as great as possible.\n"
        "Answer with the places (not the values) in ascending order on one line, separated by "
        "spaces.",
        problem.N, with_indices("A", problem.arrayA), with_indices("B", problem.arrayB));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!are_ascending_indices(problem.N, answer)) return kInvalidReward;
    for (std::size_t i = 1; i < answer.size(); ++i) {
      if (problem.arrayA[answer[i - 1]] > problem.arrayA[answer[i]]) return kInvalidReward;
    }
    return maximise_reward(weight_of(problem, answer), problem.gold_answer);
  }

  // From left to right: the heaviest choice that ends at a place prolongs the heaviest one that
  // ends at an earlier place with no greater value.
  static Answer solve(const Problem& problem) {
    struct Choice {
      std::int64_t weight = 0;
      int last = -1;
      bool operator<(const Choice& other) const { return weight < other.weight; }
    };
    std::vector<std::int64_t> values = problem.arrayA;
    std::ranges::sort(values);
    FenwickTree<Choice, KeepLarger> heaviest(problem.N);  // by rank of the last value
    std::vector<int> before(problem.arrayA.size());
    for (int i = 0; i < problem.N; ++i) {
      const auto rank = std::ranges::upper_bound(values, problem.arrayA[i]) - values.begin();
      const Choice prolonged = heaviest.prefix(rank);
      before[i] = prolonged.last;
      heaviest.join(rank - 1, {.weight = prolonged.weight + problem.arrayB[i], .last = i});
    }
    Answer places;
    for (int i = heaviest.prefix(problem.N).last; i >= 0; i = before[i]) places.push_back(i);
    std::ranges::reverse(places);
    return places;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const Answer places = random_indices(problem.N, rng);
    return filled(problem, places);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"a choice of the most places", longest_chain(problem.arrayA, Equal::kKeeps)},
            {"what fits, heaviest first", filled(problem, by_weight(problem))},
            {"what fits, from left to right", filled(problem, ascending_order(problem.N))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // The rules, one after another.
  static bool some_rule_is_best(const Problem& problem) {
    const auto is_best = [&](const Answer& places) {
      return weight_of(problem, places) == problem.gold_answer;
    };
    return is_best(filled(problem, by_weight(problem))) ||
           is_best(filled(problem, ascending_order(problem.N))) ||
           is_best(longest_chain(problem.arrayA, Equal::kKeeps));
  }

  static Answer by_weight(const Problem& problem) {
    Answer places = ascending_order(problem.N);
    std::ranges::sort(places, [&](std::int64_t i, std::int64_t j) {
      if (problem.arrayB[i] != problem.arrayB[j]) return problem.arrayB[i] > problem.arrayB[j];
      return i < j;
    });
    return places;
  }

  // Three runs, each ascending and below the one before: one heavy number, a few of middle weight,
  // the other ones light. Then some numbers change places.
  static void arrange(Problem& problem, Rng& rng) {
    const std::int64_t n = problem.N;
    const std::int64_t middle = rng.integer(2, (n - 2) / 2);
    std::array<std::int64_t, 3> counts{1, middle, n - 1 - middle};
    std::array<int, 3> order{0, 1, 2};
    rng.shuffle(order);
    std::ranges::sort(problem.arrayA);
    std::ranges::reverse(problem.arrayA);
    std::int64_t first = 0;
    for (const int kind : order) {
      const std::int64_t end = first + counts[kind];
      std::reverse(problem.arrayA.begin() + first, problem.arrayA.begin() + end);
      for (std::int64_t i = first; i < end; ++i) {
        problem.arrayB[i] = kind == 0   ? rng.integer(2 * n / 3, n)
                            : kind == 1 ? rng.integer(n / 3 + 1, 2 * n / 3 + 1)
                                        : rng.integer(1, n / 2);
      }
      first = end;
    }
    for (std::int64_t swaps = rng.integer(1, n / 3); swaps > 0; --swaps) {
      const std::int64_t i = rng.integer(0, n - 1);
      const std::int64_t j = rng.integer(0, n - 1);
      std::swap(problem.arrayA[i], problem.arrayA[j]);
      std::swap(problem.arrayB[i], problem.arrayB[j]);
    }
  }

  static std::int64_t weight_of(const Problem& problem, const Answer& places) {
    std::int64_t weight = 0;
    for (const std::int64_t place : places) weight += problem.arrayB[place];
    return weight;
  }

  // Takes every place, in the given order, that fits those taken before; gives them ascending.
  static Answer filled(const Problem& problem, const Answer& order) {
    Answer taken;
    for (const std::int64_t place : order) {
      const auto next = std::ranges::lower_bound(taken, place);
      const std::int64_t value = problem.arrayA[place];
      if (next != taken.begin() && problem.arrayA[*(next - 1)] > value) continue;
      if (next != taken.end() && problem.arrayA[*next] < value) continue;
      taken.insert(next, place);
    }
    return taken;
  }
};
REDQUEEN_ENVIRONMENT(WeightedLIS);

}  // namespace
}  // namespace redqueen
