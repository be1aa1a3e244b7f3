#include <algorithm>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

struct SubsetSum {
  static constexpr Card card{
      .name = "SubsetSum",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Choose elements of a list that add up to a given sum.",
      .levels =
          "The list grows from 3 numbers by a tenth and one a level; its values lie in 1 … N^2. "
          "Beyond level 75 a prompt would pass 256 KiB.",
      .rewards = "-1 malformed, -0.5 not a set of indices, 0 wrong sum, 1 right.",
      .differences =
          "Values go up to N^2 instead of N, and from 5 numbers on, a problem that a greedy rule "
          "solves, or whose first numbers have the sum, is drawn again: taking what fits from "
          "large to small solved four in five at every level. That rule does not solve it with any "
          "one number left out, either.",
      .slow_reason = SlowReason::kStricter,
      .source = "Karp, Reducibility among combinatorial problems, 1972",
      .version = 3,
      .max_level = 75,
  };

  static constexpr int kFewNumbers = 5;     // fewer: greedy rules nearly always win, so they may
  static constexpr int kMostSkipped = 300;  // of more, trying each takes too long
  static constexpr int kMaxNumbers = 1'000'000;
  static constexpr std::int64_t kMaxValue = 1'000'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::int64_t target = 0;
    std::string reference_answer;  // the indices of one solution
    REDQUEEN_FIELDS(N, A, target, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    constexpr int kDraws = 200;
    Problem problem{.N = config.N, .A = {}, .target = 0, .reference_answer = {}};
    problem.A.resize(config.N);
    for (int draw = 0; draw < kDraws; ++draw) {
      for (std::int64_t& value : problem.A)
        value = rng.integer(1, std::int64_t{config.N} * config.N);
      const int fewest =
          config.N > 3 ? 2 : 1;  // of three numbers, only three pairs can be asked for
      const auto count = static_cast<std::size_t>(rng.integer(fewest, config.N - 1));
      Answer planted = rng.sample(0, config.N - 1, count);
      std::ranges::sort(planted);
      problem.target = sum_of(problem, planted);
      if (config.N >= kFewNumbers &&
          (is_sum_of_first(problem) || some_greed_wins(problem) || skipping_one_wins(problem))) {
        continue;
      }
      problem.reference_answer = format_answer(planted);
      return problem;
    }
    throw Retry();
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}, .target = 0, .reference_answer = {}};
    for (int i = 0; i < config.N; ++i) problem.A.push_back(rng.integer(1, config.N));
    const auto count = static_cast<std::size_t>(rng.integer(2, config.N - 1));
    const Answer planted = rng.sample(0, config.N - 1, count);
    problem.target = sum_of(problem, planted);
    problem.reference_answer = format_answer(planted);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.N > kMaxNumbers ||
        problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" numbers, 1 to {}, found {}", kMaxNumbers,
                     problem.A.size());
    }
    for (const std::int64_t value : problem.A) {
      if (value < 1 || value > kMaxValue)
        return failure("\"A\": {} is not in 1..{}", value, kMaxValue);
    }
    const auto planted = parse_answer<Answer>(problem.reference_answer);
    if (!planted || score(problem, *planted) != kSolvedReward) {
      return failure("\"reference_answer\": \"{}\" does not give \"target\" {}",
                     problem.reference_answer, problem.target);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (std::size_t i = 0; i < problem.A.size(); ++i) {
      append_format(list, "A[{}]={} ", i, problem.A[i]);
    }
    list.pop_back();
    return fmt::format(
        "Choose some of these {} numbers, each at most once, so that their sum is exactly {}:\n"
        "{}\n"
        "It can be done; any such choice is right.\n"
        "Answer with the indices (not the values) of the chosen numbers in any order on one line, "
        "separated by spaces.",
        problem.N, problem.target, list);
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> taken(problem.A.size());
    for (const std::int64_t index : answer) {
      if (index < 0 || index >= problem.N) return kInvalidReward;
      if (std::exchange(taken[index], 1) == 1) return kInvalidReward;
    }
    return exact_reward(sum_of(problem, answer) == problem.target);
  }

  static Answer solve(const Problem& problem) {
    return parse_answer<Answer>(problem.reference_answer).value_or(Answer());
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (std::int64_t i = 0; i < problem.N; ++i) {
      if (rng.chance(0.5)) answer.push_back(i);
    }
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Answer ascending = by_value(problem);
    const Answer descending(ascending.rbegin(), ascending.rend());
    Answer as_given(problem.A.size());
    std::iota(as_given.begin(), as_given.end(), 0);
    const std::int64_t rest =
        std::accumulate(problem.A.begin(), problem.A.end(), std::int64_t{0}) - problem.target;
    Answer kept = as_given;
    for (const std::int64_t index : filled(problem, descending, rest)) std::erase(kept, index);
    return {
        {"what fits, from large to small",
         format_answer(filled(problem, descending, problem.target))},
        {"what fits, from small to large",
         format_answer(filled(problem, ascending, problem.target))},
        {"what fits, in the order given", format_answer(filled(problem, as_given, problem.target))},
        {"all but what fits into the rest, from large to small", format_answer(kept)},
        {"what fits, from large to small, skipping one number",
         format_answer(skipping_one(problem))}};
  }

 private:
  static std::int64_t at(const Problem& problem, std::int64_t index) { return problem.A[index]; }

  static std::int64_t sum_of(const Problem& problem, const Answer& indices) {
    std::int64_t sum = 0;
    for (const std::int64_t index : indices) sum += at(problem, index);
    return sum;
  }

  static Answer by_value(const Problem& problem) {
    Answer order(problem.A.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int64_t index) { return at(problem, index); });
    return order;
  }

  // Takes every number that still fits into `sum`, in the given order.
  static Answer filled(const Problem& problem, Answer order, std::int64_t sum) {
    std::erase_if(order, [&](std::int64_t index) {
      if (at(problem, index) > sum) return true;
      sum -= at(problem, index);
      return false;
    });
    return order;
  }

  static bool is_sum_of_first(const Problem& problem) {
    std::int64_t sum = 0;
    return std::ranges::any_of(problem.A, [&](std::int64_t value) {
      sum += value;
      return sum == problem.target;
    });
  }

  // The place of a number without which what fits, in this order, has the sum; nullopt: none.
  static std::optional<std::size_t> skipped_to_fit(const std::vector<std::int64_t>& descending,
                                                   std::int64_t target) {
    for (std::size_t skipped = 0; skipped < descending.size(); ++skipped) {
      std::int64_t left = target;
      for (std::size_t i = 0; i < descending.size(); ++i) {
        if (i != skipped && descending[i] <= left) left -= descending[i];
      }
      if (left == 0) return skipped;
    }
    return std::nullopt;
  }

  static std::vector<std::int64_t> descending_values(const Problem& problem) {
    std::vector<std::int64_t> values = problem.A;
    std::ranges::sort(values, std::greater());
    return values;
  }

  static bool skipping_one_wins(const Problem& problem) {
    return problem.N <= kMostSkipped &&
           skipped_to_fit(descending_values(problem), problem.target).has_value();
  }

  // What fits from large to small without one of the numbers, if some number makes it fit exactly.
  static Answer skipping_one(const Problem& problem) {
    const auto skipped = skipped_to_fit(descending_values(problem), problem.target);
    if (!skipped) return {};
    const Answer ascending = by_value(problem);
    Answer rest(ascending.rbegin(), ascending.rend());
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*skipped));
    return filled(problem, rest, problem.target);
  }

  static bool some_greed_wins(const Problem& problem) {
    const auto fills = [](const std::vector<std::int64_t>& values, std::int64_t sum) {
      for (const std::int64_t value : values) {
        if (value <= sum) sum -= value;
      }
      return sum == 0;
    };
    const std::int64_t rest =
        std::accumulate(problem.A.begin(), problem.A.end(), std::int64_t{0}) - problem.target;
    if (fills(problem.A, problem.target)) return true;
    const std::vector<std::int64_t> descending = descending_values(problem);
    return fills(descending, problem.target) || fills(descending, rest);
  }
};
REDQUEEN_ENVIRONMENT(SubsetSum);

}  // namespace
}  // namespace redqueen
