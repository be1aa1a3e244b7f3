#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct EmperorWorries {
  static constexpr Card card{
      .name = "EmperorWorries",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Generals in a circle need given numbers of medals of different types, neighbours of "
          "types that differ altogether; say how few types suffice.",
      .levels = "From 2 or 3 generals, two more a level; the numbers of medals grow with them.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "From level 1 on, half of the circles are odd, with nearly equal needs, drawn again "
          "until the sum of all needs decides, and the others until two neighbours decide: of "
          "independent numbers, the two greatest neighbours nearly always do.",
      .small_answer_space =
          "The least number is the greater of two bounds, each of which alone is right for half of "
          "the problems; of two or three generals, at level 0, the sum always is.",
      .guess_until_level = 0,
      .guess_bound = 0.65,
      .source = "P4409, ZJOI 2006: The emperor's worries (Luogu)",
      .version = 2,
  };

  static constexpr int kDraws = 1000;
  static constexpr int kRange = 2;
  static constexpr std::int64_t kMaxK = 10'000;
  static constexpr std::int64_t kMaxMedals = 1'000'000'000;

  struct Config {
    int K = 0;
    REDQUEEN_FIELDS(K)
  };
  struct Problem {
    int K = 0;
    int N = 0;  // 2 K or 2 K + 1
    std::vector<std::int64_t> A;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(K, N, A, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.K = 1 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const bool sum_decides = config.K > 1 && rng.chance(0.5);
    Problem problem{.K = config.K,
                    .N = 2 * config.K + (sum_decides || rng.chance(0.5) ? 1 : 0),
                    .A = {},
                    .reference_answer = 0};
    problem = draw_accepted(
        kDraws,
        [&] {
          problem.A = drawn(problem.N, config.K, rng);
          return problem;
        },
        [&](const Problem& drawn) {
          if (drawn.K == 1) return true;
          return sum_decides ? by_sum(drawn) > by_neighbours(drawn)
                             : by_sum(drawn) < by_neighbours(drawn);
        });
    problem.reference_answer = least(problem);
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = 2 * config.K + (rng.chance(0.5) ? 1 : 0);
    Problem problem{.K = config.K,
                    .N = n,
                    .A = draw_numbers(n, 1, std::int64_t{kRange} * n, rng),
                    .reference_answer = 0};
    problem.reference_answer = least(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("K", problem.K, 1, kMaxK));
    RETURN_IF_ERROR(within("N", problem.N, 2 * problem.K, 2 * problem.K + 1));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 1, kMaxMedals));
    return reference_is("reference_answer", problem.reference_answer, least(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{0} generals, numbered 0 to {1}, sit around a table; generals with consecutive numbers "
        "are neighbours, and so are general {1} and general 0. General i is to receive A[i] "
        "medals:\n"
        "{2}\n"
        "There are several types of medals, with as many medals of each type as are needed. All "
        "medals of one general must be of different types, and no two neighbours may have medals "
        "of the same type. What is the least number of types that suffices?\n"
        "Answer with one integer.",
        problem.N, problem.N - 1, with_indices("A", problem.A));
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(problem.reference_answer / 2 + 1, 2 * problem.reference_answer);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto greatest = std::ranges::max(problem.A);
    return {{"the greatest sum of two neighbours", format_answer(by_neighbours(problem))},
            {"the sum by half of the number of generals", format_answer(by_sum(problem))},
            {"twice the greatest number", format_answer(2 * greatest)},
            {"the sum of all", format_answer(std::reduce(problem.A.begin(), problem.A.end()))}};
  }

 private:
  // Numbers of which the greatest exceeds the least by about what the average of 2 K + 1 numbers
  // divided by K gives, or by some times that.
  static std::vector<std::int64_t> drawn(int n, int k, Rng& rng) {
    const std::int64_t most = kRange * n;
    const std::int64_t base = rng.integer(std::max(1, n / 2), most);
    const std::int64_t spread = rng.integer(1, 3 * base / k + 1);
    return draw_numbers(n, std::max<std::int64_t>(1, base - spread), base, rng);
  }

  static std::int64_t by_neighbours(const Problem& problem) {
    std::int64_t most = 0;
    for (int i = 0; i < problem.N; ++i) {
      most = std::max(most, problem.A[i] + problem.A[(i + 1) % problem.N]);
    }
    return most;
  }

  // A type is of use to N/2 generals at most.
  static std::int64_t by_sum(const Problem& problem) {
    const std::int64_t generals = problem.N / 2;
    return (std::reduce(problem.A.begin(), problem.A.end()) + generals - 1) / generals;
  }

  static std::int64_t least(const Problem& problem) {
    return std::max(by_neighbours(problem), by_sum(problem));
  }
};
REDQUEEN_ENVIRONMENT(EmperorWorries);

}  // namespace
}  // namespace redqueen
