#include <algorithm>
#include <cmath>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/cuts.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct QuadraticFunctionSegmentation {
  static constexpr Card card{
      .name = "QuadraticFunctionSegmentation",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Cut a sequence into runs of neighbours such that the values of the runs, a quadratic "
          "function of their sums, add up to as much as possible.",
      .levels =
          "The sequence grows from 4 numbers by a tenth and one a level, its numbers and the "
          "coefficients with it. Beyond level 45 values would not fit 64 bits.",
      .rewards =
          "-1 malformed or empty, -0.5 not the ends of runs, else (value / greatest value)^5, a "
          "negative value counting as 0.",
      .differences =
          "The coefficients are drawn such that runs of a middling sum are worth most, and not "
          "much. From 6 numbers on, a problem is drawn again that is solved by runs of one "
          "length, by two runs, or by closing each run where its sum is closest to the best one.",
      .small_answer_space =
          "Of 7 numbers, at level 3, one way to cut is right in a fifth of the problems that the "
          "rules leave.",
      .guess_until_level = 3,
      .source = "Asia-Pacific Informatics Olympiad 2010, Commando.",
      .max_level = 45,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 6;
  static constexpr int kFewest = 4;
  static constexpr int kDraws = 500;
  // With these, a cut is worth less than 2^62 in size.
  static constexpr std::int64_t kMaxLength = 1000;
  static constexpr std::int64_t kMaxNumber = 1000;
  static constexpr std::int64_t kMaxA = 1000;
  static constexpr std::int64_t kMaxB = 1'000'000'000;
  static constexpr std::int64_t kMaxC = 1'000'000'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> xs;
    std::int64_t A_coef = 0;
    std::int64_t B_coef = 0;
    std::int64_t C_coef = 0;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, xs, A_coef, B_coef, C_coef, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem = drawn(config.N, rng);
      problem.gold_answer = value_of(problem, solve(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (problem.gold_answer <= 0) return false;
      if (config.N == kFewest && is_frequent(solve(problem)) && rng.chance(0.5)) return false;
      return config.N < kStrictFrom || !some_rule_solves<QuadraticFunctionSegmentation>(problem);
    });
  }

  // Coefficients that are products of up to five random numbers, or random up to these. One run,
  // two runs, and one for each number are worth less than the best cut, which is worth something.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto product = [&](int factors) {
      std::int64_t p = 1;
      for (int i = 0; i < factors; ++i) p *= rng.integer(1, n);
      return p;
    };
    const auto draw = [&] {
      Problem problem{.N = n, .xs = {}, .A_coef = 0, .B_coef = 0, .C_coef = 0, .gold_answer = 0};
      problem.xs = draw_numbers(n, 1, n, rng);
      problem.A_coef = -rng.integer(1, n);
      problem.B_coef = rng.integer(1, product(3));
      const std::int64_t least = -product(5);
      problem.C_coef = rng.integer(least, product(5));
      problem.gold_answer = value_of(problem, solve(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      const std::int64_t value = problem.gold_answer;
      return value > 0 && value > value_of(problem, {n}) &&
             value > value_of(problem, cut_by_length(n, 1)) &&
             value > value_of(problem, cheapest_cut_in_two(n, Loss(problem)));
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(check_numbers("xs", problem.xs, problem.N, 1, kMaxNumber));
    RETURN_IF_ERROR(within("A_coef", problem.A_coef, -kMaxA, -1));
    RETURN_IF_ERROR(within("B_coef", problem.B_coef, 1, kMaxB));
    RETURN_IF_ERROR(within("C_coef", problem.C_coef, -kMaxC, kMaxC));
    if (problem.gold_answer <= 0) {
      return failure("\"gold_answer\": {} is not positive", problem.gold_answer);
    }
    return reference_is("gold_answer", problem.gold_answer, value_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a sequence of {0} positive integers:\n"
        "{1}\n"
        "Cut it into one or more runs of neighbouring numbers, such that every number belongs to "
        "exactly one run. A run whose numbers add up to s is worth {2} · s^2 + {3} · s + ({4}). "
        "Cut such that all runs together are worth as much as possible.\n"
        "Answer with the place of the last number of each run, places counted from 1, in ascending "
        "order on one line, separated by spaces; the last of them is {0}.",
        problem.N, with_indices("x", problem.xs, 1), problem.A_coef, problem.B_coef,
        problem.C_coef);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.empty()) return kMalformedReward;
    if (!is_cut(problem.N, answer)) return kInvalidReward;
    return maximise_reward(value_of(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return cheapest_cuts(problem.N, Loss(problem)).ends(problem.N);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_cut(problem.N, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const Loss loss(problem);
    return {{"each number alone", cut_by_length(problem.N, 1)},
            {"all in one run", cut_by_length(problem.N, problem.N)},
            {"the best two runs", cheapest_cut_in_two(problem.N, loss)},
            {"runs of the best length", cheapest_cut_by_length(problem.N, loss)},
            {"each run closed where its sum is closest to the best sum", close_to_best(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Of four numbers, these cuts are best more often than others.
  static bool is_frequent(const Answer& ends) { return ends.size() == 4 || ends == Answer{2, 4}; }

  // What a run is worth, negated.
  struct Loss {
    const Problem& problem;
    std::vector<std::int64_t> sum;  // of the first numbers

    explicit Loss(const Problem& of) : problem(of), sum(of.xs.size() + 1) {
      std::partial_sum(of.xs.begin(), of.xs.end(), sum.begin() + 1);
    }

    std::int64_t operator()(std::int64_t before, std::int64_t last) const {
      const std::int64_t s = sum[last] - sum[before];
      return -((problem.A_coef * s + problem.B_coef) * s + problem.C_coef);
    }
  };

  static std::int64_t value_of(const Problem& problem, const Answer& ends) {
    return -cost_of_cut(ends, Loss(problem));
  }

  // A run is worth most for its sum s where s^2 = C / A, and then (B - 2 |A| s) s.
  static Problem drawn(int n, Rng& rng) {
    Problem problem{.N = n, .xs = {}, .A_coef = 0, .B_coef = 0, .C_coef = 0, .gold_answer = 0};
    problem.xs = draw_numbers(n, 1, n, rng);
    const std::int64_t total =
        std::accumulate(problem.xs.begin(), problem.xs.end(), std::int64_t{0});
    const std::int64_t best_sum = rng.integer(total / n, std::max(total / n, total / 2));
    const std::int64_t a = rng.integer(1, n);
    problem.A_coef = -a;
    problem.C_coef = -a * best_sum * best_sum + rng.integer(0, a * best_sum);
    const std::int64_t most = std::int64_t{n} * n * n;
    problem.B_coef = std::min(
        most, 2 * a * best_sum + rng.integer(1, std::max<std::int64_t>(1, a * best_sum / 3)));
    return problem;
  }

  static Answer close_to_best(const Problem& problem) {
    const double best = std::sqrt(
        std::max(0.0, static_cast<double>(problem.C_coef) / static_cast<double>(problem.A_coef)));
    Answer ends;
    std::int64_t sum = 0;
    for (std::int64_t i = 1; i < problem.N; ++i) {
      sum += problem.xs[i - 1];
      const std::int64_t longer = sum + problem.xs[i];
      if (std::abs(static_cast<double>(sum) - best) <=
          std::abs(static_cast<double>(longer) - best)) {
        ends.push_back(i);
        sum = 0;
      }
    }
    ends.push_back(problem.N);
    return ends;
  }
};
REDQUEEN_ENVIRONMENT(QuadraticFunctionSegmentation);

}  // namespace
}  // namespace redqueen
