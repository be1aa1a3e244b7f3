#include <algorithm>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct Max_TreeConstrainedPermutation_Weight {
  static constexpr Card card{
      .name = "Max_TreeConstrainedPermutation_Weight",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Order elements, some of which must come after a given other one, such that the sum of "
          "place times weight is as large as possible.",
      .levels =
          "From 3 elements, a tenth and one more a level. Beyond level 50, the lists would be too "
          "long to read.",
      .rewards =
          "-1 malformed, -0.5 not an order of the elements or one that breaks a condition, else "
          "(sum / greatest sum)^5.",
      .differences =
          "An element may have to come after one of a greater number; at least half of the "
          "elements "
          "have a condition. From 5 elements on, a problem is drawn again that is solved by the "
          "ascending order, by always putting the lightest element first that can be, or the "
          "heaviest last.",
      .slow_reason = SlowReason::kStricter,
      .source = "HNOI/AHOI 2018: Permutation",
      .max_level = 50,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewElements = 5;
  static constexpr int kDraws = 1000;
  static constexpr int kMaxElements = 1000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> W;
    std::vector<std::int64_t> A;  // the element that must come before; 0: none; elements from 1
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, W, A, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& draft) {
          return config.N < kFewElements ||
                 !some_rule_solves<Max_TreeConstrainedPermutation_Weight>(draft);
        });
  }

  // An element comes after one of a smaller number, or has no condition.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{
        .N = config.N, .W = draw_numbers(config.N, 1, config.N, rng), .A = {}, .gold_answer = 0};
    for (int i = 0; i < config.N; ++i) problem.A.push_back(rng.integer(0, i));
    problem.gold_answer = value_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxElements));
    RETURN_IF_ERROR(check_numbers("W", problem.W, problem.N, 1, kMaxWeight));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 0, problem.N));
    if (std::ssize(lightest_first(problem)) != problem.N) {
      return failure("\"A\": there are elements that have to come after themselves");
    }
    return reference_is("gold_answer", problem.gold_answer, value_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    std::string conditions;
    for (int i = 0; i < problem.N; ++i) {
      if (problem.A[i] == 0) continue;
      append_format(conditions, "{} before {}\n", problem.A[i], i + 1);
    }
    if (conditions.empty()) conditions = "(none)\n";
    return fmt::format(
        "The elements 1 to {0} have these weights:\n"
        "{1}\n"
        "Put all elements in an order that keeps these conditions:\n"
        "{2}"
        "The value of an order is the sum of i times the weight of the element in place i, over "
        "all places i from 1 to {0}. Find an order of the greatest value.\n"
        "Answer with the {0} elements in this order on one line, separated by spaces.",
        problem.N, with_indices("W", problem.W, 1), conditions);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer, 1)) return kInvalidReward;
    std::vector<char> seen(problem.A.size() + 1);
    seen[0] = 1;
    for (const std::int64_t element : answer) {
      if (!seen[problem.A[element - 1]]) return kInvalidReward;
      seen[element] = 1;
    }
    return maximise_reward(value_of(problem, answer), problem.gold_answer, kBeta);
  }

  // Groups of elements that follow each other in a best order: the group of the least average
  // weight comes directly after the group of the element that must come before it (W. Horn,
  // "Single-machine job sequencing with treelike precedence ordering and linear delay penalties",
  // 1972). Element 0 stands before all.
  static Answer solve(const Problem& problem) {
    struct Group {
      Answer elements;
      std::int64_t weight = 0;
      bool is_joined = false;
    };
    std::vector<Group> groups(problem.W.size() + 1);
    std::vector<std::int64_t> group_of(problem.W.size() + 1);
    for (std::int64_t i = 0; i <= problem.N; ++i) {
      groups[i] = {.elements = {i}, .weight = i == 0 ? 0 : problem.W[i - 1]};
      group_of[i] = i;
    }
    for (int join = 0; join < problem.N; ++join) {
      std::int64_t lightest = 0;
      for (std::int64_t g = 1; g <= problem.N; ++g) {
        if (groups[g].is_joined) continue;
        if (lightest == 0 || groups[g].weight * std::ssize(groups[lightest].elements) <
                                 groups[lightest].weight * std::ssize(groups[g].elements)) {
          lightest = g;
        }
      }
      Group& group = groups[lightest];
      group.is_joined = true;
      const std::int64_t host = group_of[problem.A[group.elements.front() - 1]];
      for (const std::int64_t element : group.elements) group_of[element] = host;
      groups[host].weight += group.weight;
      groups[host].elements.insert(groups[host].elements.end(), group.elements.begin(),
                                   group.elements.end());
      group.elements.clear();
    }
    Answer order = std::move(groups[0].elements);
    order.erase(order.begin());
    return order;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Problem other = problem;
    rng.shuffle(other.W);
    return lightest_first(other);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"ascending", ascending_order(problem.N, 1)},
            {"the lightest first that can be", lightest_first(problem)},
            {"the heaviest last that can be", heaviest_last(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    Answer by_weight = ascending_order(problem.N, 1);
    std::ranges::stable_sort(by_weight, {}, [&](std::int64_t i) { return problem.W[i - 1]; });
    named.push_back({"by weight, whatever the conditions", format_answer(by_weight)});
    return named;
  }

 private:
  static Problem drawn(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .W = draw_numbers(config.N, 1, config.N, rng),
                    .A = std::vector<std::int64_t>(static_cast<std::size_t>(config.N)),
                    .gold_answer = 0};
    const std::vector<int> order = rng.permutation(config.N);
    const double conditions = rng.real(0.5, 1.0);
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (rng.chance(conditions)) problem.A[order[i]] = order[rng.below(i)] + 1;
    }
    problem.gold_answer = value_of(problem, solve(problem));
    return problem;
  }

  static std::int64_t value_of(const Problem& problem, const Answer& order) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      value += static_cast<std::int64_t>(i + 1) * problem.W[order[i] - 1];
    }
    return value;
  }

  // Fewer than N elements if the conditions go round in a circle.
  static Answer lightest_first(const Problem& problem) {
    std::vector<char> placed(problem.A.size() + 1);
    placed[0] = 1;
    Answer order;
    while (true) {
      std::int64_t best = 0;
      for (std::int64_t i = 1; i <= problem.N; ++i) {
        if (placed[i] || !placed[problem.A[i - 1]]) continue;
        if (best == 0 || problem.W[i - 1] < problem.W[best - 1]) best = i;
      }
      if (best == 0) return order;
      placed[best] = 1;
      order.push_back(best);
    }
  }

  static Answer heaviest_last(const Problem& problem) {
    std::vector<std::int64_t> followers(problem.A.size() + 1);
    for (const std::int64_t before : problem.A) ++followers[before];
    Answer order;
    std::vector<char> placed(problem.A.size() + 1);
    for (int place = 0; place < problem.N; ++place) {
      std::int64_t best = 0;
      for (std::int64_t i = 1; i <= problem.N; ++i) {
        if (placed[i] || followers[i] > 0) continue;
        if (best == 0 || problem.W[i - 1] > problem.W[best - 1]) best = i;
      }
      placed[best] = 1;
      --followers[problem.A[best - 1]];
      order.push_back(best);
    }
    std::ranges::reverse(order);
    return order;
  }
};
REDQUEEN_ENVIRONMENT(Max_TreeConstrainedPermutation_Weight);

}  // namespace
}  // namespace redqueen
