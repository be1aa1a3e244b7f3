#include <algorithm>
#include <cmath>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/parameter/witness.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct KingSorting {
  static constexpr Card card{
      .name = "KingSorting",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Order pairs of numbers such that the greatest quotient of the product of all first "
          "numbers before a pair and the second number of the pair is as small as possible.",
      .levels =
          "From 3 pairs, a tenth and one more a level, with numbers up to 10. Beyond level 70 the "
          "list would be too long to read.",
      .rewards = "-1 malformed, -0.5 not an order of the pairs, else (least / greatest value)^5.",
      .differences =
          "First numbers are 1 in half of the pairs, and no pair has a sum above 11: else only the "
          "last pair mattered. The least value is never 0. Of three pairs, one order is right, and "
          "not that given. From 5 on, a problem is drawn again that is solved by the order given, "
          "by "
          "first, by second numbers or by their sums, or by putting the greatest product last.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Several orders of few pairs can be right; of 5 pairs, at level 2, one order is in a "
          "quarter of the problems, and up to level 4 one is in a fifth.",
      .guess_until_level = 4,
      .source = "NOIP 2012: The king's game (Luogu P1080)",
      .max_level = 70,
  };

  static constexpr double kBeta = 5.0;
  static constexpr double kOnes = 0.5;
  static constexpr int kFewPairs = 5;
  static constexpr int kDraws = 500;
  static constexpr int kMaxAB = 10;
  static constexpr std::int64_t kMaxN = 7000;
  static constexpr std::int64_t kMaxNumber = 1000;

  struct Config {
    int N = 0;
    int MAX_A_B = 0;
    REDQUEEN_FIELDS(N, MAX_A_B)
  };
  struct Pair {
    int index = 0;
    std::int64_t A = 0;
    std::int64_t B = 0;
    REDQUEEN_FIELDS(index, A, B)
  };
  struct Problem {
    int N = 0;
    int MAX_A_B = 0;
    std::vector<Pair> array;  // N + 1; the first keeps its place
    BigInt gold_answer = 0;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, MAX_A_B, array, gold_answer, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) {
    return {.N = grow_by_tenth(3, level), .MAX_A_B = kMaxAB};
  }

  static Problem generate(const Config& config, Rng& rng) {
    auto problem = draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& drawn) {
          if (drawn.gold_answer == 0) return false;
          if (config.N == 3) return is_solved_by_one_order(drawn);
          return config.N < kFewPairs || !some_rule_solves<KingSorting>(drawn);
        });
    problem.reference_answer = format_answer(solve(problem));
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .MAX_A_B = config.MAX_A_B,
                    .array = {},
                    .gold_answer = 0,
                    .reference_answer = {}};
    for (int i = 0; i <= config.N; ++i) {
      const std::int64_t a = rng.integer(1, config.MAX_A_B);
      problem.array.push_back({.index = i, .A = a, .B = rng.integer(1, config.MAX_A_B)});
    }
    const Answer order = solve(problem);
    problem.gold_answer = greatest_value(problem, order);
    problem.reference_answer = format_answer(order);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(within("array", std::ssize(problem.array), problem.N + 1, problem.N + 1));
    for (int i = 0; i <= problem.N; ++i) {
      const Pair& pair = problem.array[i];
      RETURN_IF_ERROR(within("array", pair.index, i, i));
      RETURN_IF_ERROR(within("array", pair.A, 1, kMaxNumber));
      RETURN_IF_ERROR(within("array", pair.B, 1, kMaxNumber));
    }
    RETURN_IF_ERROR(
        reference_is("gold_answer", problem.gold_answer, greatest_value(problem, solve(problem))));
    return check_witness<KingSorting>("reference_answer", problem.reference_answer, problem);
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (int i = 1; i <= problem.N; ++i) {
      append_format(list, "{} {} {}\n", i, problem.array[i].A, problem.array[i].B);
    }
    return fmt::format(
        "Each of these {0} lines gives the number i of a pair and the pair itself, a[i] and b[i]:\n"
        "{1}"
        "Put the pairs into an order. The value of a pair p is the product of {2} and of a[q] for "
        "all pairs q before it in this order, divided by b[p] and rounded down to an integer; for "
        "the pair that comes first the product is just {2}. The greatest of the {0} values must be "
        "as small as possible.\n"
        "Answer with the numbers of the pairs in this order on one line, separated by spaces.",
        problem.N, list, problem.array[0].A);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer, 1)) return kInvalidReward;
    return minimise_reward(greatest_value(problem, answer), problem.gold_answer, kBeta);
  }

  // Of two neighbours, that with the smaller product a·b comes first: exchanging them would put the
  // greater of their values up or leave it.
  static Answer solve(const Problem& problem) {
    return sorted_by(problem, [](const Pair& pair) { return pair.A * pair.B; });
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer order = ascending_order(problem.N, 1);
    rng.shuffle(order);
    return order;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::int64_t greatest = solve(problem).back();
    Answer last = ascending_order(problem.N, 1);
    std::erase(last, greatest);
    last.push_back(greatest);
    return {
        {"as given", ascending_order(problem.N, 1)},
        {"by a", sorted_by(problem, [](const Pair& pair) { return pair.A; })},
        {"by b", sorted_by(problem, [](const Pair& pair) { return pair.B; })},
        {"by a + b", sorted_by(problem, [](const Pair& pair) { return pair.A + pair.B; })},
        {"by b, the greatest first", sorted_by(problem, [](const Pair& pair) { return -pair.B; })},
        {"the greatest a·b last, the others as given", last}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem drawn(const Config& config, Rng& rng) {
    const int most = config.MAX_A_B;
    Problem problem{
        .N = config.N, .MAX_A_B = most, .array = {}, .gold_answer = 0, .reference_answer = {}};
    for (int i = 0; i <= config.N; ++i) {
      const std::int64_t a = i > 0 && rng.chance(kOnes) ? 1 : rng.integer(1, most);
      problem.array.push_back({.index = i, .A = a, .B = rng.integer(1, most + 1 - a)});
    }
    problem.gold_answer = greatest_value(problem, solve(problem));
    return problem;
  }

  // And not by that of the list.
  static bool is_solved_by_one_order(const Problem& problem) {
    Answer order = ascending_order(problem.N, 1);
    if (score(problem, order) >= kSolvedReward) return false;
    int right = 0;
    while (std::ranges::next_permutation(order).found) {
      right += score(problem, order) >= kSolvedReward;
    }
    return right == 1;
  }

  template <typename Key>
  static Answer sorted_by(const Problem& problem, Key key) {
    Answer order = ascending_order(problem.N, 1);
    std::ranges::stable_sort(order, {}, [&](std::int64_t i) { return key(problem.array[i]); });
    return order;
  }

  static BigInt greatest_value(const Problem& problem, const Answer& order) {
    double bits = 0.0;  // of the product of all
    for (const Pair& pair : problem.array) bits += std::log2(static_cast<double>(pair.A));
    return bits < 62.0 ? BigInt(greatest_value_in<std::int64_t>(problem, order))
                       : greatest_value_in<BigInt>(problem, order);
  }

  template <typename Number>
  static Number greatest_value_in(const Problem& problem, const Answer& order) {
    Number product = problem.array[0].A;
    Number greatest = 0;
    for (const std::int64_t i : order) {
      const Number value = product / problem.array[i].B;
      if (value > greatest) greatest = value;
      product *= problem.array[i].A;
    }
    return greatest;
  }
};
REDQUEEN_ENVIRONMENT(KingSorting);

}  // namespace
}  // namespace redqueen
