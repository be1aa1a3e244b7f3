#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct TetrisAttack {
  static constexpr Card card{
      .name = "TetrisAttack",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Empty a row, in which equal neighbours vanish, with as few exchanges of neighbours as "
          "possible.",
      .levels = "The number of symbols, each there twice, starts at 3 and grows by one a level.",
      .rewards =
          "-1 malformed, -0.5 an exchange that is not possible, -0.2 symbols left over, else "
          "(least "
          "number of exchanges / that of the answer)^5.",
      .differences =
          "A row that is emptied best by serving its symbols in order, from one end, is drawn "
          "again from five symbols on.",
      .source = "Tetris Attack, Polish Olympiad in Informatics",
  };

  static constexpr double kLeftOverReward = -0.2;
  static constexpr double kBeta = 5.0;
  static constexpr int kMaxSymbols = 300;
  static constexpr int kDraws = 40;
  static constexpr int kStrictFrom = 5;  // of three symbols, one kind of row would be left

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::int64_t gold_answer = 0;  // the least number of exchanges
    REDQUEEN_FIELDS(N, A, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_preferred(
        kDraws, [&] { return draw(config, rng); },
        [](const Problem& problem) {
          return problem.N < kStrictFrom || !some_rule_solves<TetrisAttack>(problem);
        });
  }

  // Any row without equal neighbours.
  static Problem published(const Config& config, Rng& rng) { return draw(config, rng); }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxSymbols));
    RETURN_IF_ERROR(check_numbers("A", problem.A, 2 * std::int64_t{problem.N}, 0, problem.N - 1));
    std::vector<int> count(static_cast<std::size_t>(problem.N));
    for (const std::int64_t symbol : problem.A) ++count[symbol];
    if (std::ranges::any_of(count, [](int times) { return times != 2; })) {
      return failure("\"A\": expected each number twice");
    }
    if (std::ranges::adjacent_find(problem.A) != problem.A.end()) {
      return failure("\"A\": two equal numbers stand next to each other");
    }
    return reference_is("gold_answer", problem.gold_answer, least_exchanges(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a row of {} symbols, which are the numbers 0 to {}, each of them twice:\n"
        "{}\n"
        "A move exchanges two symbols that stand next to each other. After each move, as long as "
        "there are two equal symbols next to each other, both vanish and the row closes up. "
        "Move i exchanges the symbols at positions i and i + 1 of the row as it is at that time; "
        "positions are counted from 0. Empty the row with as few moves as possible.\n"
        "Answer with the numbers i of the moves in order, separated by spaces.",
        2 * problem.N, problem.N - 1, format_answer(problem.A));
  }

  static double score(const Problem& problem, const Answer& answer) {
    Answer row = problem.A;
    for (const std::int64_t move : answer) {
      if (move < 0 || move >= std::ssize(row) - 1) return kInvalidReward;
      exchange(row, move);
    }
    if (!row.empty()) return kLeftOverReward;
    return minimise_reward<std::int64_t>(std::ssize(answer), problem.gold_answer, kBeta);
  }

  // Takes the symbols from left to right. The second copy of one moves left to the first, past
  // those symbols whose second copies are still to come: those that lie crosswise with it.
  static Answer solve(const Problem& problem) {
    Answer moves;
    std::vector<std::int64_t> open;
    for (const std::int64_t symbol : problem.A) {
      const auto place = std::ranges::find(open, symbol);
      if (place == open.end()) {
        open.push_back(symbol);
        continue;
      }
      const auto first = place - open.begin();
      for (auto i = std::ssize(open) - 1; i > first; --i) moves.push_back(i);
      open.erase(place);
    }
    return moves;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer row = problem.A;
    Answer moves;
    while (!row.empty() && std::ssize(moves) < 2 * problem.gold_answer + 4) {
      moves.push_back(rng.integer(0, std::ssize(row) - 2));
      exchange(row, moves.back());
    }
    return moves;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {
        {"bring the partner of the first symbol to it, again and again", from_end(problem, true)},
        {"bring the partner of the last symbol to it, again and again", from_end(problem, false)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem draw(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}, .gold_answer = 0};
    for (int i = 0; i < 2 * config.N; ++i) problem.A.push_back(i / 2);
    do {
      rng.shuffle(problem.A);
    } while (std::ranges::adjacent_find(problem.A) != problem.A.end());
    problem.gold_answer = least_exchanges(problem);
    return problem;
  }

  // The row has no equal neighbours before the move. Only what stands at the two places, or closes
  // up around a pair that vanishes, can be equal.
  static void exchange(Answer& row, std::int64_t move) {
    std::swap(row[move], row[move + 1]);
    const auto vanish = [&](std::int64_t left) {
      while (left >= 0 && left + 1 < std::ssize(row) && row[left] == row[left + 1]) {
        row.erase(row.begin() + left, row.begin() + left + 2);
        --left;
      }
    };
    vanish(move + 1);
    vanish(move - 1);
  }

  // Two symbols must change order if their copies stand crosswise, and a move changes one order.
  static std::int64_t least_exchanges(const Problem& problem) { return std::ssize(solve(problem)); }

  static Answer from_end(const Problem& problem, bool first) {
    Answer row = problem.A;
    Answer moves;
    while (!row.empty()) {
      const std::int64_t symbol = first ? row.front() : row.back();
      const auto place = first ? std::find(row.begin() + 1, row.end(), symbol) - row.begin()
                               : std::ranges::find(row, symbol) - row.begin();
      const std::int64_t move = first ? place - 1 : place;
      moves.push_back(move);
      exchange(row, move);
    }
    return moves;
  }
};
REDQUEEN_ENVIRONMENT(TetrisAttack);

}  // namespace
}  // namespace redqueen
