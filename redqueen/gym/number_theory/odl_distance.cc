#include <array>
#include <limits>
#include <numeric>
#include <set>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/number/smooth.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

// Multiplications and divisions by primes from one number to the other: the exponents' differences.
int distance(const std::vector<PrimePower>& a, const std::vector<PrimePower>& b) {
  int sum = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].prime < b[j].prime)) {
      sum += a[i++].exponent;
    } else if (i == a.size() || b[j].prime < a[i].prime) {
      sum += b[j++].exponent;
    } else {
      sum += std::abs(a[i++].exponent - b[j++].exponent);
    }
  }
  return sum;
}

struct ODLDistance {
  static constexpr Card card{
      .name = "ODLDistance",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task =
          "Find each number's nearest other one, where a step multiplies or divides by a prime.",
      .levels = "The list grows from 3 numbers by one a level.",
      .rewards =
          "-1 malformed, -0.5 wrong count or an index that is not another's, else (indices that "
          "are right / N)^5.",
      .differences =
          "Numbers reach 12 times the length of the list and more, and half of them are products "
          "of small primes; lists where the smallest number is nearest to all others are drawn "
          "again.",
      .slow_reason = SlowReason::kStricter,
      .source = "Distance (ODL), Polish Olympiad in Informatics",
  };

  static constexpr std::int64_t kMaxNumber = 1'000'000'000'000;
  static constexpr int kMaxLength = 1000;
  static constexpr double kBeta = 5.0;
  static constexpr std::array kFactors{2, 2, 2, 3, 3, 5, 7};

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    REDQUEEN_FIELDS(N, A)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    // Short lists have few answers, of which ties make some common.
    return draw_spread(std::max(1, 8 - config.N), rng,
                       [&]() -> std::optional<std::pair<Answer, Problem>> {
                         const Problem problem = draw_list(config.N, rng);
                         Answer nearest = solve(problem);
                         if (nearest == smallest_everywhere(problem)) return std::nullopt;
                         return std::pair(std::move(nearest), problem);
                       });
  }

  static Problem draw_list(int length, Rng& rng) {
    const std::int64_t largest = 12 * std::int64_t{length} + 12;
    Problem problem{.N = length, .A = {}};
    while (problem.A.size() < static_cast<std::size_t>(length)) {
      const std::int64_t limit = rng.integer(2, largest);
      const std::int64_t number = rng.chance(0.5) ? limit : draw_smooth(kFactors, limit, rng);
      if (std::ranges::find(problem.A, number) == problem.A.end()) problem.A.push_back(number);
    }
    return problem;
  }

  // Different uniform numbers up to four times the length of the list.
  static Problem published(const Config& config, Rng& rng) {
    return {.N = config.N,
            .A = rng.sample(1, 4 * std::int64_t{config.N}, static_cast<std::size_t>(config.N))};
  }

  static Status check(const Problem& problem) {
    if (problem.N < 2 || problem.N > kMaxLength ||
        problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" numbers, 2 to {}, found {}", kMaxLength,
                     problem.A.size());
    }
    std::set<std::int64_t> used;
    for (const std::int64_t a : problem.A) {
      if (auto sound = within("A", a, 1, kMaxNumber); !sound) return sound;
      if (!used.insert(a).second) return failure("\"A\": {} occurs twice", a);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A step goes from a positive integer n to n·p or, if p divides n, to n/p, where p is any "
        "prime number. The distance of two integers is the least number of steps from one to the "
        "other.\n"
        "Here are {0} integers with indices 0 to {1}, in order:\n"
        "{2}\n"
        "For each of them, find the index of the nearest other integer of the list; of several at "
        "the same distance, the smallest index.\n"
        "Answer with the {0} indices on one line, in order, separated by spaces.",
        problem.N, problem.N - 1, format_answer(problem.A));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.A.size()) return kInvalidReward;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      if (answer[i] < 0 || answer[i] >= problem.N || answer[i] == static_cast<std::int64_t>(i)) {
        return kInvalidReward;
      }
    }
    const Answer nearest = solve(problem);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) matches += answer[i] == nearest[i];
    return share_reward(matches, problem.N, kBeta);
  }

  static Answer solve(const Problem& problem) {
    std::vector<std::vector<PrimePower>> factors;
    factors.reserve(problem.A.size());
    for (const std::int64_t a : problem.A) factors.push_back(factorise(a));
    Answer nearest(problem.A.size(), -1);
    std::vector<int> least(problem.A.size(), std::numeric_limits<int>::max());
    const auto offer = [&](std::size_t to, std::size_t from, int steps) {
      if (steps > least[to] ||
          (steps == least[to] && nearest[to] < static_cast<std::int64_t>(from))) {
        return;
      }
      least[to] = steps;
      nearest[to] = static_cast<std::int64_t>(from);
    };
    for (std::size_t i = 0; i < factors.size(); ++i) {
      for (std::size_t j = i + 1; j < factors.size(); ++j) {
        const int steps = distance(factors[i], factors[j]);
        offer(i, j, steps);
        offer(j, i, steps);
      }
    }
    return nearest;
  }

  // The index of the smallest number for all others, and the second smallest for that one.
  static Answer smallest_everywhere(const Problem& problem) {
    std::vector<std::size_t> order(problem.A.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return problem.A[i]; });
    Answer answer(problem.A.size(), static_cast<std::int64_t>(order[0]));
    answer[order[0]] = static_cast<std::int64_t>(order[1]);
    return answer;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (int i = 0; i < problem.N; ++i) {
      const std::int64_t other = rng.integer(0, problem.N - 2);
      answer.push_back(other + (other >= i));
    }
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the smallest number", format_answer(smallest_everywhere(problem))}};
  }
};
REDQUEEN_ENVIRONMENT(ODLDistance);

}  // namespace
}  // namespace redqueen
