#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct ValueDiminishingSelection {
  static constexpr Card card{
      .name = "ValueDiminishingSelection",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Choose items in some order, each of which lowers the values of all later ones, such "
          "that their values add up to as much as possible.",
      .levels =
          "The number of items grows from 3 by a tenth and one a level, values with its square. "
          "Beyond level 50 the table of the reference solution would be large.",
      .rewards =
          "-1 malformed, -0.5 an item that does not exist or comes twice, else (sum / greatest "
          "sum)^5, a negative sum counting as 0.",
      .differences =
          "From 5 items on, a problem is drawn again that is solved by the most valuable item, by "
          "all items, or by the most valuable items, as many as are best.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 50,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 5;
  static constexpr int kDraws = 500;
  static constexpr int kMaxItems = 2000;
  static constexpr std::int64_t kMaxAmount = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> W;
    std::vector<std::int64_t> R;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, W, R, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] { return published(config, rng); };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (problem.gold_answer == 0) return false;
      return config.N < kStrictFrom ||
             !some_rule_is_best<ValueDiminishingSelection>(problem, [&](const Answer& items) {
               return sum_of(problem, items) == problem.gold_answer;
             });
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .W = {}, .R = {}, .gold_answer = 0};
    problem.W = draw_numbers(config.N, 0, std::int64_t{config.N} * config.N / 2, rng);
    problem.R = draw_numbers(config.N, 1, config.N, rng);
    problem.gold_answer = sum_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxItems));
    RETURN_IF_ERROR(check_numbers("W", problem.W, problem.N, 0, kMaxAmount));
    RETURN_IF_ERROR(check_numbers("R", problem.R, problem.N, 1, kMaxAmount));
    return reference_is("gold_answer", problem.gold_answer, sum_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {0} items, numbered from 0 to {1}. Item i has the value W[i] and the weight "
        "R[i]:\n"
        "{2}\n"
        "{3}\n"
        "You take some of the items, none of them twice, one after another in an order of your "
        "choice. When you take item i, you gain W[i] less the sum of the weights of all items that "
        "you took before it; this may be negative. Gain as much as possible in all.\n"
        "Answer with the numbers of the items that you take, in the order in which you take them, "
        "on one line, separated by spaces.",
        problem.N, problem.N - 1, with_indices("W", problem.W), with_indices("R", problem.R));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!are_distinct_indices(problem.N, answer)) return kInvalidReward;
    return maximise_reward(std::max<std::int64_t>(sum_of(problem, answer), 0), problem.gold_answer,
                           kBeta);
  }

  // Taken items go by ascending weight. From the last one on, by descending weight: an item before
  // j others loses its weight to each of them. best[j]: the greatest gain with j items.
  static Answer solve(const Problem& problem) {
    Answer order = ascending_order(problem.N);
    std::ranges::stable_sort(order, std::greater(), [&](std::int64_t i) { return problem.R[i]; });
    constexpr std::int64_t kNever = -(std::int64_t{1} << 62);
    const auto n = static_cast<std::size_t>(problem.N);
    std::vector<std::int64_t> best(n + 1, kNever);
    std::vector<char> taken(n * (n + 1));
    best[0] = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t value = problem.W[order[i]];
      const std::int64_t weight = problem.R[order[i]];
      for (std::size_t j = i + 1; j > 0; --j) {
        const std::int64_t gain = best[j - 1] + value - weight * static_cast<std::int64_t>(j - 1);
        if (gain <= best[j]) continue;
        best[j] = gain;
        taken[i * (n + 1) + j] = 1;
      }
    }
    Answer chosen;
    auto count = static_cast<std::size_t>(std::ranges::max_element(best) - best.begin());
    for (std::size_t i = n; count > 0 && i-- > 0;) {
      if (!taken[i * (n + 1) + count]) continue;
      chosen.push_back(order[i]);
      --count;
    }
    return chosen;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer items = random_indices(problem.N, rng);
    rng.shuffle(items);
    return items;
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    if (visit("the most valuable items, as many as are best", best_most_valuable(problem))) {
      return true;
    }
    const Answer valued = most_valuable(problem);
    if (visit("the most valuable item", Answer{valued.front()})) return true;
    Answer all = ascending_order(problem.N);
    sort_by_weight(problem, all);
    return visit("all items by weight", all);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(all_rules<ValueDiminishingSelection>(problem));
    named.push_back(
        {"append the most valuable item while that gains", format_answer(appended(problem))});
    return named;
  }

 private:
  static void sort_by_weight(const Problem& problem, Answer& items) {
    std::ranges::stable_sort(items, {}, [&](std::int64_t i) { return problem.R[i]; });
  }

  static Answer most_valuable(const Problem& problem) {
    Answer order = ascending_order(problem.N);
    std::ranges::stable_sort(order, std::greater(), [&](std::int64_t i) { return problem.W[i]; });
    return order;
  }

  static std::int64_t sum_of(const Problem& problem, const Answer& items) {
    std::int64_t sum = 0;
    std::int64_t weights = 0;
    for (const std::int64_t i : items) {
      sum += problem.W[i] - weights;
      weights += problem.R[i];
    }
    return sum;
  }

  static Answer best_most_valuable(const Problem& problem) {
    const Answer valued = most_valuable(problem);
    Answer items;
    Answer best;
    std::int64_t most = 0;
    for (const std::int64_t item : valued) {
      const auto weight = [&](std::int64_t i) { return problem.R[i]; };
      items.insert(std::ranges::upper_bound(items, weight(item), {}, weight), item);
      if (const std::int64_t sum = sum_of(problem, items); sum > most) {
        most = sum;
        best = items;
      }
    }
    return best;
  }

  static Answer appended(const Problem& problem) {
    Answer items;
    std::int64_t weights = 0;
    for (const std::int64_t item : most_valuable(problem)) {
      if (problem.W[item] <= weights) break;
      items.push_back(item);
      weights += problem.R[item];
    }
    return items;
  }
};
REDQUEEN_ENVIRONMENT(ValueDiminishingSelection);

}  // namespace
}  // namespace redqueen
