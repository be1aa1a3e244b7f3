#include <algorithm>
#include <limits>
#include <queue>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct PalembangBridges {
  static constexpr Card card{
      .name = "PalembangBridges",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Place one or two bridges such that pairs of numbers are as close together as can be, "
          "each by way of its better bridge.",
      .levels = "There are 3 pairs and one more a level; their numbers go up to that many.",
      .rewards = "-1 malformed, -0.5 not K numbers, else (least sum / sum)^5.",
      .differences =
          "Pairs lie around one or two places, some of them across. From 5 pairs on there are two "
          "bridges in nine of ten problems, and a problem is drawn again that is solved by the "
          "median, the quartiles, the quarters of the range, the mean, or the medians of the pairs "
          "on either side of the middle.",
      .slow_reason = SlowReason::kStricter,
      .source = "Asia-Pacific Informatics Olympiad 2015, Palembang Bridges.",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 5;
  static constexpr int kDraws = 500;
  static constexpr int kMaxPairs = 10'000;
  static constexpr std::int64_t kMaxPlace = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<std::int64_t> S;
    std::vector<std::int64_t> T;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, K, S, T, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const bool strict = config.N >= kStrictFrom;
    const int bridges = rng.chance(strict ? 0.1 : 0.5) ? 1 : 2;
    const auto draw = [&] {
      Problem problem = drawn(config.N, bridges, rng);
      problem.gold_answer = sum_of(problem, solve(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (problem.gold_answer == 0) return false;
      return !strict || problem.K == 1 || !some_rule_solves<PalembangBridges>(problem);
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .K = static_cast<int>(rng.integer(1, 2)),
                    .S = draw_numbers(n, 0, n, rng),
                    .T = draw_numbers(n, 0, n, rng),
                    .gold_answer = 0};
    problem.gold_answer = sum_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxPairs));
    RETURN_IF_ERROR(within("K", problem.K, 1, 2));
    RETURN_IF_ERROR(check_numbers("S", problem.S, problem.N, -kMaxPlace, kMaxPlace));
    RETURN_IF_ERROR(check_numbers("T", problem.T, problem.N, -kMaxPlace, kMaxPlace));
    return reference_is("gold_answer", problem.gold_answer, sum_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    const std::string pairs =
        fmt::format("{}\n{}", with_indices("S", problem.S, 1), with_indices("T", problem.T, 1));
    if (problem.K == 1) {
      return fmt::format(
          "Here are {0} pairs of integers S[i] and T[i]:\n"
          "{1}\n"
          "Find an integer p for which the sum of |p - S[i]| + |p - T[i]| over all i from 1 to {0} "
          "is as small as possible.\n"
          "Answer with one integer, p.",
          problem.N, pairs);
    }
    return fmt::format(
        "Here are {0} pairs of integers S[i] and T[i]:\n"
        "{1}\n"
        "Find two integers p and q, which may be equal, such that the sum of the lengths of all "
        "pairs is as small as possible. The length of pair i is the smaller one of |p - S[i]| + "
        "|p - T[i]| and |q - S[i]| + |q - T[i]|.\n"
        "Answer with p and q on one line, separated by a space.",
        problem.N, pairs);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K) return kInvalidReward;
    return minimise_reward(sum_of(problem, answer), problem.gold_answer, kBeta);
  }

  // Of two bridges, the left one serves the pairs with the smaller sums S + T. For every number of
  // them the best places are medians of both parts.
  static Answer solve(const Problem& problem) {
    const std::vector<std::int64_t> order = by_sum(problem);
    const Medians from_left(problem, order);
    if (problem.K == 1) return {from_left.median.back()};
    const Medians from_right(problem, {order.rbegin(), order.rend()});
    Answer best;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int left = 1; left <= problem.N; ++left) {
      const int right = problem.N - left;
      const std::int64_t sum = from_left.sum[left] + from_right.sum[right];
      if (sum >= least) continue;
      least = sum;
      best = {from_left.median[left], from_right.median[right == 0 ? problem.N : right]};
    }
    return best;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const auto [low_s, high_s] = std::ranges::minmax(problem.S);
    const auto [low_t, high_t] = std::ranges::minmax(problem.T);
    return draw_numbers(problem.K, std::min(low_s, low_t), std::max(high_s, high_t), rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<std::int64_t> ends = problem.S;
    ends.insert(ends.end(), problem.T.begin(), problem.T.end());
    std::ranges::sort(ends);
    const std::size_t n = ends.size();
    const std::int64_t middle = ends[n / 2];
    std::vector<std::int64_t> low;
    std::vector<std::int64_t> high;
    for (int i = 0; i < problem.N; ++i) {
      auto& side = problem.S[i] + problem.T[i] <= 2 * middle ? low : high;
      side.push_back(problem.S[i]);
      side.push_back(problem.T[i]);
    }
    const auto median_of = [&](std::vector<std::int64_t>& values) {
      std::ranges::sort(values);
      return values.empty() ? middle : values[values.size() / 2];
    };
    const std::int64_t lower = median_of(low);
    const std::int64_t upper = median_of(high);
    std::vector<SimpleRule<Answer>> list{
        {"the median", {middle, middle}},
        {"the quartiles", {ends[n / 4], ends[3 * n / 4]}},
        {"the quarters of the range", {problem.N / 4, problem.N - problem.N / 4}},
        {"the mean", {mean(ends), mean(ends)}},
        {"the medians of the pairs to the left and to the right of the median", {lower, upper}}};
    for (auto& rule : list) rule.answer.resize(problem.K);
    return list;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // What one bridge costs the first pairs of an order, and where it stands.
  struct Medians {
    std::vector<std::int64_t> sum{0};     // by the number of pairs
    std::vector<std::int64_t> median{0};  // likewise; of no pairs: any

    // Two heaps hold the lower and the upper half of all ends.
    Medians(const Problem& problem, const std::vector<std::int64_t>& order) {
      std::priority_queue<std::int64_t> lower;
      std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> upper;
      std::int64_t spread = 0;  // the sum of the upper half less that of the lower
      for (const std::int64_t i : order) {
        const auto [low, high] = std::minmax(problem.S[i], problem.T[i]);
        lower.push(low);
        upper.push(high);
        spread += high - low;
        while (lower.top() > upper.top()) {
          const std::int64_t a = lower.top();
          const std::int64_t b = upper.top();
          lower.pop();
          upper.pop();
          lower.push(b);
          upper.push(a);
          spread += 2 * (a - b);
        }
        sum.push_back(spread);
        median.push_back(lower.top());
      }
    }
  };

  static std::vector<std::int64_t> by_sum(const Problem& problem) {
    std::vector<std::int64_t> order = ascending_order(problem.N);
    std::ranges::sort(order, {}, [&](std::int64_t i) { return problem.S[i] + problem.T[i]; });
    return order;
  }

  static std::int64_t mean(const std::vector<std::int64_t>& values) {
    std::int64_t sum = 0;
    for (const std::int64_t value : values) sum += value;
    return sum / std::ssize(values);
  }

  // Pairs beside or across one or two places.
  static Problem drawn(int n, int bridges, Rng& rng) {
    Problem problem{.N = n, .K = bridges, .S = {}, .T = {}, .gold_answer = 0};
    const std::int64_t near = std::max(1, n / 5);
    std::vector<std::int64_t> places = draw_numbers(bridges, 0, n, rng);
    const double share = rng.real(0.2, 0.8);
    for (int i = 0; i < n; ++i) {
      const std::int64_t place = places[rng.chance(share) ? 0 : bridges - 1];
      const auto end = [&] {
        return rng.chance(0.15) ? rng.integer(0, n)
                                : std::clamp<std::int64_t>(place + rng.integer(-near, near), 0, n);
      };
      problem.S.push_back(end());
      problem.T.push_back(end());
    }
    return problem;
  }

  // At most the greatest 64-bit integer, whatever the answer holds.
  static std::int64_t sum_of(const Problem& problem, const Answer& places) {
    Int128 sum = 0;
    for (int i = 0; i < problem.N; ++i) {
      Int128 least = -1;
      for (const std::int64_t place : places) {
        const Int128 to_s = Int128{place} - problem.S[i];
        const Int128 to_t = Int128{place} - problem.T[i];
        const Int128 length = (to_s < 0 ? -to_s : to_s) + (to_t < 0 ? -to_t : to_t);
        if (least < 0 || length < least) least = length;
      }
      sum += least;
    }
    return static_cast<std::int64_t>(
        std::min<Int128>(sum, std::numeric_limits<std::int64_t>::max()));
  }
};
REDQUEEN_ENVIRONMENT(PalembangBridges);

}  // namespace
}  // namespace redqueen
