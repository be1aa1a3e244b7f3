#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/choice.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

struct EuclidGame {
  static constexpr Card card{
      .name = "EuclidGame",
      .published = true,
      .family = Family::kGames,
      .answer = AnswerKind::kChoice,
      .scoring = Scoring::kExact,
      .task =
          "Two players in turn subtract multiples of one number from the other; who makes a zero "
          "wins. Say who wins with best play.",
      .levels =
          "The bound on the numbers starts at 16 and doubles with every level up to 2^62; moves "
          "that are forced before the first free choice grow in number with it.",
      .rewards = "-0.5 for anything but the two names, 0 wrong, 1 right.",
      .differences =
          "The number of forced moves is drawn first: of independent numbers, half are decided by "
          "the first move and size adds nothing.",
      .small_answer_space =
          "There are two answers, each right for half of the problems; up to level 2, few moves "
          "are forced, and the first choice is mostly the first move.",
      .guess_until_level = 2,
      .guess_bound = 0.65,
      .source =
          "Euclid's Game, University of Waterloo local contest of 28 September 2002; the game is "
          "by Cole and Davie, The Mathematical Gazette 53 (1969)",
      .max_level = 58,
  };

  static constexpr std::string_view kFirst = "Stan";
  static constexpr std::string_view kSecond = "Ollie";

  struct Config {
    std::int64_t MAX_X_Y = 0;
    REDQUEEN_FIELDS(MAX_X_Y)
  };
  struct Problem {
    std::int64_t MAX_X_Y = 0;
    std::int64_t X = 0;
    std::int64_t Y = 0;
    REDQUEEN_FIELDS(MAX_X_Y, X, Y)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.MAX_X_Y = multiply(16, 2, level)}; }

  // Moves are forced while larger < 2 · smaller; who first is free wins. So the number of forced
  // moves decides, and undoing that many from a free position (a, b) gives (F(k+1) a + F(k) b, F(k)
  // a + F(k−1) b), F being Fibonacci's.
  static Problem generate(const Config& config, Rng& rng) {
    const bool first_wins = rng.chance(0.5);
    const auto choices = (longest_chain(config.MAX_X_Y) - (first_wins ? 0 : 1)) / 2 + 1;
    const auto forced = 2 * rng.integer(0, choices - 1) + (first_wins ? 0 : 1);
    const auto [f, g] = fibonacci_pair(forced);  // F(k+1), F(k)
    std::int64_t smaller = rng.integer(1, config.MAX_X_Y / (2 * f + g));
    std::int64_t larger = rng.integer(2 * smaller, (config.MAX_X_Y - g * smaller) / f);
    for (std::int64_t i = 0; i < forced; ++i) smaller = std::exchange(larger, larger + smaller);
    if (rng.chance(0.5)) std::swap(smaller, larger);
    return {.MAX_X_Y = config.MAX_X_Y, .X = larger, .Y = smaller};
  }

  // Independent numbers, drawn until the one wins who was to win.
  static Problem published(const Config& config, Rng& rng) {
    const bool first_wins = rng.chance(0.5);
    Problem problem{.MAX_X_Y = config.MAX_X_Y};
    do {
      problem.X = rng.integer(1, config.MAX_X_Y);
      problem.Y = rng.integer(1, config.MAX_X_Y);
    } while ((winner(problem) == kFirst) != first_wins);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.X < 1) return failure("\"X\": {} is not positive", problem.X);
    if (problem.Y < 1) return failure("\"Y\": {} is not positive", problem.Y);
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Stan and Ollie play with two numbers, {} and {}. They take turns, and Stan begins. In a "
        "turn, the player subtracts a positive integer multiple of one of the two numbers from "
        "the other one, which is replaced by the result; the result must not be negative. The "
        "player who makes a number zero wins. Both play as well as possible. Who wins?\n"
        "Answer with one name: Stan or Ollie.",
        problem.X, problem.Y);
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_choice(answer); }

  static double score(const Problem& problem, const Answer& answer) {
    return choice_reward(answer, winner(problem), {kFirst, kSecond});
  }

  static Answer solve(const Problem& problem) { return std::string(winner(problem)); }

  static Answer random_answer(const Problem&, Rng& rng) {
    return std::string(rng.chance(0.5) ? kFirst : kSecond);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto [smaller, larger] = std::minmax(problem.X, problem.Y);
    return {{"Stan if one number is at least twice the other, else Ollie",
             std::string(larger / 2 >= smaller ? kFirst : kSecond)}};
  }

 private:
  static std::pair<std::int64_t, std::int64_t> fibonacci_pair(std::int64_t k) {
    std::int64_t next = 1;
    std::int64_t current = 0;
    for (std::int64_t i = 0; i < k; ++i) current = std::exchange(next, next + current);
    return {next, current};
  }

  // The most forced moves for which more than one free position stays within half the bound.
  static std::int64_t longest_chain(std::int64_t bound) {
    std::int64_t k = 0;
    while (true) {
      const auto [f, g] = fibonacci_pair(k + 1);
      if (2 * f + g > bound / 2) return k;
      ++k;
    }
  }

  static std::string_view winner(const Problem& problem) {
    auto [smaller, larger] =
        std::pair<std::int64_t, std::int64_t>(std::minmax(problem.X, problem.Y));
    bool first_moves = true;
    while (larger != smaller && larger - smaller < smaller) {
      larger = std::exchange(smaller, larger - smaller);
      first_moves = !first_moves;
    }
    return first_moves ? kFirst : kSecond;
  }
};
REDQUEEN_ENVIRONMENT(EuclidGame);

}  // namespace
}  // namespace redqueen
