#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Fibtrain {
  static constexpr Card card{
      .name = "Fibtrain",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Passengers board a train as the two stations before make them; from those who leave at "
          "the end, say how many were aboard after a station.",
      .levels =
          "The bound on the number of stations starts at 5 and grows by a tenth and one a level. "
          "Beyond level 60 the numbers would have more than a thousand digits.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "From level 1 on, there are at least 6 stations, and the one asked for is neither the "
          "third, after which 2A are aboard, nor the last but one, after which M are.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "At level 0 the answer is M or 2A.",
      .guess_until_level = 0,
      .source = "NOIP 1998 (junior), Stations.",
      .max_level = 60,
  };

  static constexpr int kMaxPassengers = 20;
  static constexpr int kMaxStations = 20'000;

  struct Config {
    int MAX_N = 0;
    int MAX_A_B = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_A_B)
  };
  struct Problem {
    int N = 0;
    std::int64_t A = 0;
    std::int64_t B = 0;  // not in the prompt: M tells it
    BigInt M;
    int X = 0;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, A, B, M, X, reference_answer)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) {
    return {.MAX_N = grow_by_tenth(5, level), .MAX_A_B = kMaxPassengers};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const bool smallest = config.MAX_N < 6;
    Problem problem{.N = config.MAX_N, .A = 0, .B = 0, .M = 0, .X = 0, .reference_answer = 0};
    if (!smallest) problem.N = static_cast<int>(draw_upper_half(6, config.MAX_N, rng));
    problem.A = rng.integer(1, config.MAX_A_B);
    problem.B = rng.integer(1, config.MAX_A_B);
    problem.M = load_after(problem, problem.N - 1);
    problem.X = static_cast<int>(smallest ? rng.integer(3, 4) : rng.integer(4, problem.N - 2));
    problem.reference_answer = load_after(problem, problem.X);
    return problem;
  }

  // Everything is uniform: 5 stations up to the bound, and any of them from the third to the last
  // but one.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = 0, .A = 0, .B = 0, .M = 0, .X = 0, .reference_answer = 0};
    problem.N = static_cast<int>(rng.integer(5, config.MAX_N));
    problem.A = rng.integer(1, config.MAX_A_B);
    problem.B = rng.integer(1, config.MAX_A_B);
    problem.M = load_after(problem, problem.N - 1);
    problem.X = static_cast<int>(rng.integer(3, problem.N - 1));
    problem.reference_answer = load_after(problem, problem.X);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 5, kMaxStations));
    RETURN_IF_ERROR(within("A", problem.A, 0, 1'000'000'000));
    RETURN_IF_ERROR(within("B", problem.B, 0, 1'000'000'000));
    RETURN_IF_ERROR(within("X", problem.X, 1, problem.N - 1));
    RETURN_IF_ERROR(reference_is("M", problem.M, load_after(problem, problem.N - 1)));
    return reference_is("reference_answer", problem.reference_answer,
                        load_after(problem, problem.X));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A train goes from station 1 to station {0} and stops at each. At station 1, {1} "
        "passengers board the empty train. At station 2 some number of passengers board, which is "
        "not told, and as many alight. At each station from 3 to {2}, as many passengers board as "
        "boarded at the two stations before it together (those of station 1 count as boarded "
        "there), and as many alight as boarded at the station directly before it. At station {0} "
        "nobody boards, and all {3} passengers who are still aboard alight.\n"
        "How many passengers are aboard when the train leaves station {4}?\n"
        "Answer with one integer.",
        problem.N, problem.A, problem.N - 1, problem.M.str(), problem.X);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(problem.reference_answer, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"M", problem.M}, {"2A", 2 * problem.A}, {"half of M", problem.M / 2}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Station i ≥ 3 takes the load up by what boarded two stations before; so from there on it is
  // that of station 1 and all that boarded up to station i − 2.
  static BigInt load_after(const Problem& problem, int station) {
    BigInt load = problem.A;
    BigInt boarded_before = problem.A;  // two stations before
    BigInt boarded = problem.B;
    for (int i = 3; i <= station; ++i) {
      load += boarded_before;
      BigInt next = boarded_before + boarded;
      boarded_before = std::exchange(boarded, std::move(next));
    }
    return load;
  }
};
REDQUEEN_ENVIRONMENT(Fibtrain);

}  // namespace
}  // namespace redqueen
