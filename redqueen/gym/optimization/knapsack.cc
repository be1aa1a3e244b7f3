#include <algorithm>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

struct Knapsack {
  static constexpr Card card{
      .name = "Knapsack",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Choose items of the greatest total value whose total weight does not exceed a capacity.",
      .levels =
          "The number of items grows from 3 by a tenth and one a level, the greatest weight with "
          "it. Beyond level 35 the table of the reference solution would take too much memory.",
      .rewards =
          "-1 malformed, -0.5 not a set of items or too heavy, else (value / greatest value)^5.",
      .differences =
          "Values exceed weights by little and the capacity is a third to two thirds of the total "
          "weight; from 5 items on, a problem is drawn again that is solved by taking what fits "
          "by value per weight, by value or in the order given, or by the best of these with one "
          "item exchanged for another as long as that helps. Greed solved most problems.",
      .slow_reason = SlowReason::kStricter,
      .source = "Karp, Reducibility among combinatorial problems, 1972",
      .version = 4,
      .max_level = 35,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewItems = 5;  // fewer: greedy rules nearly always win, so they may
  static constexpr std::int64_t kMaxTableCells = 20'000'000;
  static constexpr std::int64_t kMaxAmount = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> W;
    std::vector<std::int64_t> V;
    std::int64_t W_max = 0;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, W, V, W_max, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    constexpr int kDraws = 100;
    for (int draw = 0; draw < kDraws; ++draw) {
      Problem problem = drawn(config, rng);
      problem.gold_answer = best_value(problem);
      if (config.N < kFewItems) return problem;
      const Choices choices = greedy_choices(problem);
      const auto wins = [&](const Answer& choice) {
        return value_of(problem, choice) == problem.gold_answer;
      };
      if (wins(choices.by_value_per_weight) || wins(choices.by_value) || wins(choices.as_given) ||
          wins(exchanged(problem, choices))) {
        continue;
      }
      return problem;
    }
    throw Retry();
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .W = {}, .V = {}, .W_max = 0, .gold_answer = 0};
    std::int64_t total = 0;
    for (int i = 0; i < config.N; ++i) {
      const std::int64_t weight = rng.integer(1, config.N);
      problem.W.push_back(weight);
      problem.V.push_back(rng.integer(1, 2 * weight));
      total += weight;
    }
    problem.W_max = rng.integer(std::ranges::min(problem.W), total);
    problem.gold_answer = best_value(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    const auto items = static_cast<std::size_t>(problem.N);
    if (problem.N < 1 || problem.W.size() != items || problem.V.size() != items) {
      return failure("\"W\", \"V\": expected \"N\" ≥ 1 numbers each, found {} and {}",
                     problem.W.size(), problem.V.size());
    }
    for (const auto* amounts : {&problem.W, &problem.V}) {
      for (const std::int64_t amount : *amounts) {
        if (amount < 1 || amount > kMaxAmount) {
          return failure("\"W\", \"V\": {} is not in 1..{}", amount, kMaxAmount);
        }
      }
    }
    if (problem.W_max < 0) return failure("\"W_max\": {} is negative", problem.W_max);
    if (capacity(problem) >= kMaxTableCells / problem.N) {
      return failure("\"W_max\": {} is too large for {} items", problem.W_max, problem.N);
    }
    if (const std::int64_t best = value_of(problem, solve(problem)); problem.gold_answer != best) {
      return failure("\"gold_answer\": {} is not the greatest value, {}", problem.gold_answer,
                     best);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (std::size_t i = 0; i < problem.W.size(); ++i) {
      append_format(list, "{} {} {}\n", i, problem.W[i], problem.V[i]);
    }
    return fmt::format(
        "Each of these {} lines gives the index, the weight and the value of an item:\n"
        "{}Choose items, each at most once, whose weights add up to at most {} and whose values "
        "add up to as much as possible.\n"
        "Answer with the indices of the chosen items in any order on one line, separated by "
        "spaces.",
        problem.N, list, problem.W_max);
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> taken(problem.W.size());
    std::int64_t weight = 0;
    for (const std::int64_t index : answer) {
      if (index < 0 || index >= problem.N) return kInvalidReward;
      if (std::exchange(taken[index], 1) == 1) return kInvalidReward;
      weight += problem.W[index];
    }
    if (weight > problem.W_max) return kInvalidReward;
    return maximise_reward(value_of(problem, answer), problem.gold_answer, kBeta);
  }

  // best[c]: greatest value within capacity c of the items so far; took[i][c]: whether it holds
  // item i.
  static Answer solve(const Problem& problem) {
    const auto columns = static_cast<std::size_t>(capacity(problem)) + 1;
    const std::size_t items = problem.W.size();
    std::vector<std::int64_t> best(columns);
    std::vector<char> took(items * columns);
    for (std::size_t i = 0; i < items; ++i) {
      const auto weight = static_cast<std::size_t>(problem.W[i]);
      for (std::size_t c = columns; c-- > weight;) {
        const std::int64_t with = best[c - weight] + problem.V[i];
        took[i * columns + c] = with > best[c];
        best[c] = std::max(best[c], with);
      }
    }
    Answer chosen;
    std::size_t left = columns - 1;
    for (std::size_t i = items; i-- > 0;) {
      if (took[i * columns + left] == 0) continue;
      chosen.push_back(static_cast<std::int64_t>(i));
      left -= static_cast<std::size_t>(problem.W[i]);
    }
    std::ranges::reverse(chosen);
    return chosen;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (std::int64_t i = 0; i < problem.N; ++i) {
      if (rng.chance(0.5)) answer.push_back(i);
    }
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Choices choices = greedy_choices(problem);
    return {{"what fits, by value per weight", format_answer(choices.by_value_per_weight)},
            {"what fits, by value", format_answer(choices.by_value)},
            {"what fits, lightest first", format_answer(choices.lightest_first)},
            {"what fits, in the order given", format_answer(choices.as_given)},
            {"the best of these after exchanges", format_answer(exchanged(problem, choices))}};
  }

 private:
  static Problem drawn(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .W = {}, .V = {}, .W_max = 0, .gold_answer = 0};
    for (int i = 0; i < config.N; ++i) {
      const std::int64_t weight = rng.integer(1, config.N);
      problem.W.push_back(weight);
      problem.V.push_back(weight +
                          rng.integer(0, std::min<std::int64_t>(weight, 1 + config.N / 4)));
    }
    const std::int64_t total = std::accumulate(problem.W.begin(), problem.W.end(), std::int64_t{0});
    problem.W_max =
        std::max(*std::ranges::min_element(problem.W), rng.integer((total + 2) / 3, 2 * total / 3));
    return problem;
  }

  static std::int64_t at(const std::vector<std::int64_t>& amounts, std::int64_t index) {
    return amounts[index];
  }

  // Every item that still fits, in some order.
  struct Choices {
    Answer by_value_per_weight;
    Answer by_value;
    Answer lightest_first;
    Answer as_given;
  };

  static Choices greedy_choices(const Problem& problem) {
    const auto& w = problem.W;
    const auto& v = problem.V;
    return {
        .by_value_per_weight = filled(
            problem, [&](std::int64_t a, std::int64_t b) { return v[a] * w[b] > v[b] * w[a]; }),
        .by_value = filled(problem, [&](std::int64_t a, std::int64_t b) { return v[a] > v[b]; }),
        .lightest_first =
            filled(problem, [&](std::int64_t a, std::int64_t b) { return w[a] < w[b]; }),
        .as_given = filled(problem, [](std::int64_t, std::int64_t) { return false; })};
  }

  // The most valuable of the greedy choices, with one item exchanged for another as long as that
  // helps.
  static Answer exchanged(const Problem& problem, const Choices& choices) {
    const Answer* most = &choices.by_value_per_weight;
    for (const Answer* choice : {&choices.by_value, &choices.lightest_first, &choices.as_given}) {
      if (value_of(problem, *choice) > value_of(problem, *most)) most = choice;
    }
    Answer best = *most;
    std::vector<char> taken(problem.W.size());
    std::int64_t weight = 0;
    for (const std::int64_t item : best) {
      taken[item] = 1;
      weight += at(problem.W, item);
    }
    for (bool better = true; better;) {
      better = false;
      for (std::int64_t& item : best) {
        for (std::int64_t other = 0; other < problem.N; ++other) {
          const std::int64_t after = weight - at(problem.W, item) + at(problem.W, other);
          if (taken[other] == 1 || after > problem.W_max ||
              at(problem.V, other) <= at(problem.V, item)) {
            continue;
          }
          taken[item] = 0;
          taken[other] = 1;
          item = other;
          weight = after;
          better = true;
        }
      }
    }
    return best;
  }

  // Takes every item that still fits, in the order that `before` sets; the first one of equals
  // first.
  template <typename Before>
  static Answer filled(const Problem& problem, Before before) {
    Answer order(problem.W.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](std::int64_t a, std::int64_t b) {
      return before(a, b) || (!before(b, a) && a < b);
    });
    std::int64_t left = problem.W_max;
    std::erase_if(order, [&](std::int64_t item) {
      if (at(problem.W, item) > left) return true;
      left -= at(problem.W, item);
      return false;
    });
    return order;
  }

  static std::int64_t best_value(const Problem& problem) {
    std::vector<std::int64_t> best(static_cast<std::size_t>(capacity(problem)) + 1);
    for (std::size_t i = 0; i < problem.W.size(); ++i) {
      const auto weight = static_cast<std::size_t>(problem.W[i]);
      for (std::size_t c = best.size(); c-- > weight;) {
        best[c] = std::max(best[c], best[c - weight] + problem.V[i]);
      }
    }
    return best.back();
  }

  static std::int64_t value_of(const Problem& problem, const Answer& items) {
    std::int64_t value = 0;
    for (const std::int64_t item : items) value += at(problem.V, item);
    return value;
  }

  // What can be used of it.
  static std::int64_t capacity(const Problem& problem) {
    return std::min(problem.W_max,
                    std::accumulate(problem.W.begin(), problem.W.end(), std::int64_t{0}));
  }
};
REDQUEEN_ENVIRONMENT(Knapsack);

}  // namespace
}  // namespace redqueen
