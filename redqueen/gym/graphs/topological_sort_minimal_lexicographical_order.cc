#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/precedence.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct TopologicalSort_MinimalLexicographicalOrder {
  static constexpr Card card{
      .name = "TopologicalSort_MinimalLexicographicalOrder",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kQuality,
      .task =
          "Put items in an order that keeps conditions of what comes before what, item 0 as early "
          "as can be, then item 1, and so on.",
      .levels =
          "From 3 items, a tenth more and one a level, with up to three conditions each. Beyond "
          "level 45 the list of conditions would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 not an order of all items, 0.5 (conditions kept / conditions)^5, and "
          "if all are kept 0.5 (places with the right item / places)^5 more.",
      .differences =
          "There are at least as many conditions as it takes to join all items, and rare orders of "
          "few items come as often as frequent ones. From 5 items on, a problem is drawn again "
          "that is solved by the numbers of the items, "
          "or by the order that is itself the smallest sequence; from 6 on, also one solved by "
          "putting before each item in turn what it lacks.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 45,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewItems = 5;
  static constexpr int kSomeItems = 6;  // with fewer, the last rule solves nearly all
  static constexpr int kDraws = 300;
  static constexpr int kSpread = 12;  // draws for a problem of few items
  static constexpr int kMostPredecessors = 3;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> before_conditions;
    std::vector<std::int64_t> gold_answer;
    REDQUEEN_FIELDS(N, before_conditions, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    if (config.N < kFewItems) {
      return draw_spread(kSpread, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
        Problem problem = drawn(config, config.N - 1, rng);
        return std::pair(problem.gold_answer, std::move(problem));
      });
    }
    return draw_accepted(
        kDraws, [&] { return drawn(config, config.N - 1, rng); },
        [](const Problem& problem) {
          return !some_rule_is_best<TopologicalSort_MinimalLexicographicalOrder>(
              problem, [&](const Answer& order) { return order == problem.gold_answer; });
        });
  }

  static Problem published(const Config& config, Rng& rng) { return drawn(config, 1, rng); }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_conditions("before_conditions", problem.N, problem.before_conditions));
    return reference_is("gold_answer", problem.gold_answer, earliest(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Put the {0} items 0 to {1} in an order. Each of these lines names two items, the first of "
        "which has to stand somewhere before the second in the order:\n"
        "{2}\n"
        "Of all orders that keep these conditions, give the one in which item 0 stands nearest to "
        "the front; if several have it there, of these the one in which item 1 stands nearest to "
        "the front; then item 2, and so on.\n"
        "Answer with the items from first to last on one line, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.before_conditions));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_permutation_of(problem.N, answer)) return kInvalidReward;
    const std::int64_t all = std::ssize(problem.before_conditions);
    const std::int64_t kept = conditions_kept(answer, problem.before_conditions);
    const double keeps = 0.5 * share_reward(kept, all, kBeta);
    if (kept < all) return keeps;
    std::int64_t right = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) right += answer[i] == problem.gold_answer[i];
    return keeps + 0.5 * share_reward(right, problem.N, kBeta);
  }

  static Answer solve(const Problem& problem) { return problem.gold_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer order = in_order(problem);
    rng.shuffle(order);
    return order;
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    if (visit("the items by number", in_order(problem))) return true;
    if (visit("always the smallest item that may come next",
              *smallest_first(problem.N, problem.before_conditions))) {
      return true;
    }
    return problem.N >= kSomeItems &&
           visit("item after item, before each what it lacks", after_what_it_lacks(problem));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<TopologicalSort_MinimalLexicographicalOrder>(problem));
  }

 private:
  static Answer in_order(const Problem& problem) {
    Answer order(static_cast<std::size_t>(problem.N));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  // From the back, always the greatest item that no item left has to follow: whatever small item
  // can stand further in front then does.
  static Answer earliest(const Problem& problem) {
    const int last = problem.N - 1;
    std::vector<Edge> mirrored;
    mirrored.reserve(problem.before_conditions.size());
    for (const auto& [before, after] : problem.before_conditions) {
      mirrored.emplace_back(last - after, last - before);
    }
    Answer order = *smallest_first(problem.N, mirrored);
    std::ranges::reverse(order);
    for (std::int64_t& item : order) item = last - item;
    return order;
  }

  static Answer after_what_it_lacks(const Problem& problem) {
    std::vector<std::vector<int>> before(static_cast<std::size_t>(problem.N));
    for (const auto& [first, second] : problem.before_conditions) before[second].push_back(first);
    for (auto& items : before) std::ranges::sort(items, std::greater());
    std::vector<char> placed(before.size());
    Answer order;
    std::vector<int> stack;
    for (int item = 0; item < problem.N; ++item) {
      stack.push_back(item);
      while (!stack.empty()) {
        const int next = stack.back();
        const std::size_t height = stack.size();
        for (const int first : before[next]) {
          if (placed[first] == 0) stack.push_back(first);
        }
        if (stack.size() > height) continue;
        stack.pop_back();
        if (std::exchange(placed[next], 1) == 0) order.push_back(next);
      }
    }
    return order;
  }

  // At least so many conditions.
  static Problem drawn(const Config& config, std::ptrdiff_t least, Rng& rng) {
    const std::vector<int> order = rng.permutation(config.N);
    Problem problem{.N = config.N, .before_conditions = {}, .gold_answer = {}};
    while (std::ssize(problem.before_conditions) < least) {
      problem.before_conditions.clear();
      for (int i = 1; i < config.N; ++i) {
        const auto count = static_cast<std::size_t>(rng.integer(0, std::min(i, kMostPredecessors)));
        for (const std::int64_t place : rng.sample(0, i - 1, count)) {
          problem.before_conditions.emplace_back(order[place], order[i]);
        }
      }
    }
    rng.shuffle(problem.before_conditions);
    problem.gold_answer = earliest(problem);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(TopologicalSort_MinimalLexicographicalOrder);

}  // namespace
}  // namespace redqueen
