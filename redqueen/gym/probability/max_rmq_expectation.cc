#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/number/prime_field.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

using Interval = std::pair<int, int>;  // first and last place, from 1

struct MaxRMQExpectation {
  static constexpr Card card{
      .name = "MaxRMQExpectation",
      .published = true,
      .family = Family::kProbability,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "For an array of random numbers, find the expectation, modulo a prime, of the largest of "
          "the minima over given intervals.",
      .levels = "The array has 2 numbers and one more each level.",
      .rewards = "-1 malformed, -0.5 outside 0 … MOD - 1, 0 wrong, 1 right.",
      .differences =
          "From three numbers on, no interval lies inside all others, since it alone would count; "
          "expectations that are integers are drawn again.",
      .version = 2,
  };

  static constexpr std::array<std::int64_t, 3> kPrimes{666'623'333, 998'244'353, 1'000'000'007};
  static constexpr int kMaxN = 200;
  static constexpr std::size_t kMaxIntervals = 2000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int X = 0;
    int Q = 0;
    std::vector<Interval> intervals;
    std::int64_t MOD = 0;
    REDQUEEN_FIELDS(N, X, Q, intervals, MOD)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem = drawn(config, config.N > 2 ? 2 : 1, rng);
      if (config.N > 2 && has_innermost(problem.intervals)) return std::nullopt;
      problem.MOD = rng.choice(kPrimes);
      if (solve(problem) <= problem.X) return std::nullopt;
      return problem;
    });
  }

  static Interval shortest(const std::vector<Interval>& intervals) {
    return *std::ranges::min_element(
        intervals, {}, [](const Interval& interval) { return interval.second - interval.first; });
  }

  // Whether one of the intervals lies inside all of them.
  static bool has_innermost(const std::vector<Interval>& intervals) {
    const Interval inner = shortest(intervals);
    return std::ranges::all_of(intervals, [&](const Interval& outer) {
      return outer.first <= inner.first && inner.second <= outer.second;
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem = drawn(config, 1, rng);
    problem.MOD = rng.choice(kPrimes);
    return problem;
  }

  // Without a modulus; at least `fewest` intervals.
  static Problem drawn(const Config& config, int fewest, Rng& rng) {
    Problem problem{.N = config.N, .X = 0, .Q = 0, .intervals = {}, .MOD = 0};
    problem.X = static_cast<int>(rng.integer(2, config.N));
    problem.Q = static_cast<int>(rng.integer(fewest, config.N));
    for (int i = 0; i < problem.Q; ++i) {
      const auto one = static_cast<int>(rng.integer(1, config.N));
      const auto other = static_cast<int>(rng.integer(1, config.N));
      problem.intervals.push_back(std::minmax({one, other}));
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxN); !sound) return sound;
    if (auto sound = within("X", problem.X, 1, kMaxN); !sound) return sound;
    if (problem.intervals.empty() || problem.intervals.size() > kMaxIntervals ||
        std::cmp_not_equal(problem.intervals.size(), problem.Q)) {
      return failure("\"intervals\": expected \"Q\" pairs, 1 to {}, found {}", kMaxIntervals,
                     problem.intervals.size());
    }
    for (const auto& [first, last] : problem.intervals) {
      if (first < 1 || last < first || last > problem.N) {
        return failure("\"intervals\": ({}, {}) is not an interval of 1 to {}", first, last,
                       problem.N);
      }
    }
    if (std::ranges::find(kPrimes, problem.MOD) == kPrimes.end()) {
      return failure("\"MOD\": {} is not one of the primes of this environment", problem.MOD);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
               "The {0} numbers A[1] to A[{0}] are drawn independently and uniformly from the "
               "integers 1 to {1}. For each line of the following list, which gives the first and "
               "the last index of an interval (both included), take the minimum of the numbers of "
               "A in this interval:\n"
               "{2}\n"
               "Let Z be the largest of these minima. What is the expected value of Z?\n",
               problem.N, problem.X, format_edges(problem.intervals)) +
           ask_for_fraction_residue(problem.MOD);
  }

  static double score(const Problem& problem, Answer answer, Answer right) {
    return residue_reward(answer, right, problem.MOD);
  }

  // X less the sum, over t = 1 … X, of the probability that Z is below t: that every interval holds
  // a number below t.
  static Answer solve(const Problem& problem) {
    const PrimeField field(problem.MOD);
    const auto inverse = field.inverses(problem.X);
    std::vector<int> latest(static_cast<std::size_t>(problem.N) + 2);
    for (const auto& [first, last] : problem.intervals) {
      latest[last + 1] = std::max(latest[last + 1], first);
    }
    for (std::size_t j = 1; j < latest.size(); ++j) latest[j] = std::max(latest[j], latest[j - 1]);
    std::int64_t arrays = 0;
    for (int t = 2; t <= problem.X; ++t) {
      const std::int64_t large = problem.X - t + 1;  // numbers that are not below t
      const std::int64_t odds = field.multiply(t - 1, inverse[large]);
      const std::int64_t weight = field.power(large, problem.N);
      arrays = field.add(arrays, field.multiply(weight, hitting_weight(field, latest, odds)));
    }
    const std::int64_t all = field.power(problem.X, problem.N);
    return field.subtract(field.reduce(problem.X), field.divide(arrays, all));
  }

  // Sum of odds^(size) over the sets of places that meet every interval. latest[j]: the largest
  // first place of the intervals that end before j, 0 if there is none; so a set in which j is next
  // to i < j meets those exactly if i ≥ latest[j].
  static std::int64_t hitting_weight(const PrimeField& field, const std::vector<int>& latest,
                                     std::int64_t odds) {
    const std::size_t end = latest.size() - 1;
    std::vector<std::int64_t> sums(end + 1);  // sums[j]: of the sets with their last place below j
    sums[1] = 1;                              // the empty set; its last place is 0
    std::int64_t ending_here = 0;
    for (std::size_t j = 1; j <= end; ++j) {
      ending_here = field.subtract(sums[j], sums[latest[j]]);
      if (j < end) sums[j + 1] = field.add(sums[j], field.multiply(odds, ending_here));
    }
    return ending_here;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.MOD - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Problem single = problem;
    single.intervals = {shortest(problem.intervals)};
    return {{"the shortest interval alone", format_answer(solve(single))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(MaxRMQExpectation);

}  // namespace
}  // namespace redqueen
