#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct STUWell {
  static constexpr Card card{
      .name = "STUWell",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Lower numbers of a sequence by a given total at most, one of them to 0, such that the "
          "greatest difference of neighbours is least.",
      .levels = "The sequence has 3 numbers and one more a level; they go up to four times that.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "The answer is drawn first and the total to fit it: of totals of all sizes, most give "
          "the answer 1 or 2. From 5 numbers on, a problem is drawn again whose answer is the "
          "greatest difference as given, the one that is reached without a 0, or the one that is "
          "reached with the least number or an end at 0.",
      .slow_reason = SlowReason::kStricter,
      .source = "Polish Olympiad in Informatics XIX, Well",
  };

  static constexpr int kStrictFrom = 5;
  static constexpr int kDraws = 500;
  static constexpr std::int64_t kGreatestPerNumber = 4;
  static constexpr int kMaxLength = 1000;
  static constexpr std::int64_t kMaxNumber = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> X;
    std::int64_t M = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, X, M, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    for (int draw = 0; draw < kDraws; ++draw) {
      Problem problem{.N = config.N, .X = {}, .M = 0, .reference_answer = 0};
      problem.X = draw_numbers(config.N, 1, kGreatestPerNumber * config.N, rng);
      problem.M = std::ranges::min(problem.X);
      const std::int64_t answer = rng.integer(1, std::max<std::int64_t>(1, least_bound(problem)));
      const std::int64_t from = std::max(problem.M, total_for(problem, answer));
      const std::int64_t to = total_for(problem, answer - 1) - 1;
      if (from > to) continue;
      problem.M = rng.integer(from, to);
      problem.reference_answer = answer;
      if (config.N < kStrictFrom || !some_rule_gives(problem, answer)) return problem;
    }
    throw Retry();
  }

  // Any numbers, and any total from the least number up to their sum.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .X = {}, .M = 0, .reference_answer = 0};
    problem.X = draw_numbers(config.N, 1, kGreatestPerNumber * config.N, rng);
    const std::int64_t sum = std::accumulate(problem.X.begin(), problem.X.end(), std::int64_t{0});
    problem.M = rng.integer(std::ranges::min(problem.X), sum);
    problem.reference_answer = least_bound(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxLength));
    RETURN_IF_ERROR(check_numbers("X", problem.X, problem.N, 1, kMaxNumber));
    RETURN_IF_ERROR(within("M", problem.M, std::ranges::min(problem.X), kMaxLength * kMaxNumber));
    return reference_is("reference_answer", problem.reference_answer, least_bound(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a sequence of {} positive integers:\n"
        "{}\n"
        "In one step, any one of the numbers is lowered by 1; the same number may be lowered "
        "again, but not below 0. At most {} steps are made in all. When they have been made, at "
        "least one number must be 0. The roughness of the sequence is then the greatest of the "
        "differences |X[i] - X[i+1]| between neighbours.\n"
        "What is the smallest roughness that can be reached?\n"
        "Answer with one integer.",
        problem.N, with_indices("X", problem.X), problem.M);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, std::ranges::max(problem.X));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::vector<NamedAnswer> named{
        {"the greatest difference as given", format_answer(greatest_difference(problem.X))}};
    for (const Rule& rule : rules(problem)) {
      named.push_back(
          {std::string(rule.name), format_answer(least_that(problem, [&](const Lowered& lowered) {
             return is_enough(problem, rule, lowered);
           }))});
    }
    return named;
  }

 private:
  // The sequence lowered as little as possible such that neighbours differ by at most a bound.
  struct Lowered {
    std::int64_t bound;
    std::vector<std::int64_t> values;
    std::int64_t steps = 0;

    Lowered(const Problem& problem, std::int64_t most) : bound(most), values(problem.X) {
      for (std::size_t i = 1; i < values.size(); ++i) {
        values[i] = std::min(values[i], values[i - 1] + bound);
      }
      for (std::size_t i = values.size() - 1; i-- > 0;) {
        values[i] = std::min(values[i], values[i + 1] + bound);
      }
      for (std::size_t i = 0; i < values.size(); ++i) steps += problem.X[i] - values[i];
    }

    // Further ones, if that number is 0 as well. Once a number need not be lowered for it, none
    // beyond need be.
    std::int64_t steps_to_zero(std::int64_t zero) const {
      std::int64_t more = values[zero];
      for (const std::int64_t direction : {-1, 1}) {
        std::int64_t height = bound;
        for (std::int64_t i = zero + direction; i >= 0 && i < std::ssize(values); i += direction) {
          if (values[i] <= height) break;
          more += values[i] - height;
          height += bound;
        }
      }
      return more;
    }
  };

  // The least bound that M steps reach with one number at 0, or with none.
  struct Rule {
    std::string_view name;
    std::optional<std::int64_t> zero;
  };

  static std::array<Rule, 4> rules(const Problem& problem) {
    const std::int64_t lowest = std::ranges::min_element(problem.X) - problem.X.begin();
    return {{{"with the least number at 0", lowest},
             {"with the first number at 0", 0},
             {"with the last number at 0", problem.N - 1},
             {"without a 0", std::nullopt}}};
  }

  static bool is_enough(const Problem& problem, const Rule& rule, const Lowered& lowered) {
    const std::int64_t more = rule.zero ? lowered.steps_to_zero(*rule.zero) : 0;
    return lowered.steps + more <= problem.M;
  }

  // As least_that() finds it, but it suffices to look at the bound itself and the next lower one.
  static bool some_rule_gives(const Problem& problem, std::int64_t bound) {
    if (greatest_difference(problem.X) == bound) return true;
    const bool greatest = bound == std::ranges::max(problem.X);
    const Lowered here(problem, bound);
    const Lowered below(problem, bound - 1);  // never for bound 0: answers are greater
    return std::ranges::any_of(rules(problem), [&](const Rule& rule) {
      return (greatest || is_enough(problem, rule, here)) && !is_enough(problem, rule, below);
    });
  }

  // The steps that it takes to reach a bound.
  static std::int64_t total_for(const Problem& problem, std::int64_t bound) {
    const Lowered lowered(problem, bound);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t zero = 0; zero < problem.N; ++zero) {
      least = std::min(least, lowered.steps_to_zero(zero));
    }
    return lowered.steps + least;
  }

  // The least bound that accept(lowered) holds for; it holds for all greater ones.
  template <typename Accept>
  static std::int64_t least_that(const Problem& problem, Accept accept) {
    std::int64_t low = 0;
    std::int64_t high = std::ranges::max(problem.X);
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (accept(Lowered(problem, middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  static std::int64_t least_bound(const Problem& problem) {
    return least_that(problem, [&](const Lowered& lowered) {
      for (std::int64_t zero = 0; zero < problem.N; ++zero) {
        if (lowered.steps + lowered.steps_to_zero(zero) <= problem.M) return true;
      }
      return false;
    });
  }

  static std::int64_t greatest_difference(const std::vector<std::int64_t>& values) {
    std::int64_t greatest = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      greatest = std::max(greatest, std::abs(values[i] - values[i - 1]));
    }
    return greatest;
  }
};
REDQUEEN_ENVIRONMENT(STUWell);

}  // namespace
}  // namespace redqueen
