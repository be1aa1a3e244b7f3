#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"

namespace redqueen {
namespace {

struct StringReversalConstruction {
  static constexpr Card card{
      .name = "StringReversalConstruction",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task =
          "Turn a string into another one by moving endings to the front, each time reversed, with "
          "at most 3n moves.",
      .levels = "The strings have 3 letters and one more a level.",
      .rewards =
          "-1 malformed, -0.5 too many moves or a move that does not exist, 0 another string "
          "results, 1 the asked string.",
      .differences =
          "The second string is a random order of the letters of the first; no single move leads "
          "there, and from 5 letters on no two moves do. Other orders are drawn again.",
      .small_answer_space =
          "Three letters, at level 0, have three orders at most that no single move makes.",
      .guess_until_level = 0,
      .source = "Codeforces 1033 (Lyft Level 5 Challenge 2018, elimination round), Shift.",
  };

  static constexpr int kTwoMovesFrom = 5;
  static constexpr int kTwoMovesUpTo = 12;  // longer strings are never met by chance
  static constexpr int kDraws = 200;
  static constexpr int kMaxLetters = 500;

  struct Config {
    int n = 0;
    REDQUEEN_FIELDS(n)
  };
  struct Problem {
    int n = 0;
    std::string s;
    std::string t;
    std::int64_t max_k = 0;
    REDQUEEN_FIELDS(n, s, t, max_k)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.n = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.n = config.n, .s = {}, .t = {}, .max_k = 3 * config.n};
    for (int draw = 0; draw < kDraws; ++draw) {
      problem.s.clear();
      for (int i = 0; i < config.n; ++i) problem.s += static_cast<char>('a' + rng.below(26));
      problem.t = problem.s;
      rng.shuffle(problem.t);
      if (!reached_soon(problem)) return problem;
    }
    throw Retry();
  }

  // Up to half as many random moves as there are letters, at least one.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.n = config.n, .s = {}, .t = {}, .max_k = 3 * config.n};
    for (int i = 0; i < config.n; ++i) problem.s += static_cast<char>('a' + rng.below(26));
    problem.t = problem.s;
    for (std::int64_t left = rng.integer(1, std::max(1, config.n / 2)); left > 0; --left) {
      const std::int64_t moved = rng.integer(1, config.n);
      std::ranges::rotate(problem.t, problem.t.end() - moved);
      std::reverse(problem.t.begin(), problem.t.begin() + moved);
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("n", problem.n, 1, kMaxLetters));
    RETURN_IF_ERROR(within("max_k", problem.max_k, 3 * problem.n, 4 * kMaxLetters));
    for (const std::string* text : {&problem.s, &problem.t}) {
      if (std::ssize(*text) != problem.n ||
          std::ranges::any_of(*text, [](char c) { return c < 'a' || c > 'z'; })) {
        return failure("\"s\" and \"t\": expected {} letters a to z", problem.n);
      }
    }
    if (!std::ranges::is_permutation(problem.s, problem.t)) {
      return failure("\"t\": expected the letters of \"s\" in some order");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "The move x, for an integer x from 0 to {0}, cuts a string of {0} letters after its first "
        "{0} - x letters into a front a and an ending b of x letters, and makes of it the string "
        "that is b reversed, followed by a as it was. (So the move 2 makes edabc of abcde.)\n"
        "Find at most {1} moves that, one after the other, make of the string {2} the string {3}. "
        "If there are several ways, any of them will do.\n"
        "Answer with the numbers x of the moves in their order, separated by spaces.",
        problem.n, problem.max_k, problem.s, problem.t);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) > problem.max_k) return kInvalidReward;
    for (const std::int64_t x : answer) {
      if (x < 0 || x > problem.n) return kInvalidReward;
    }
    std::string s = problem.s;
    for (const std::int64_t x : answer) move(s, x);
    return exact_reward(s == problem.t);
  }

  // With W X c Y, where W is what is built, the moves |Y| + 1, |X| and |W| + 1 give W reversed,
  // c, X reversed, Y reversed: W becomes W reversed and c. So the letters c are those of t, taken
  // in turn from its end and from its front, last one first.
  static Answer solve(const Problem& problem) {
    std::string letters;
    for (std::size_t front = 0, end = problem.t.size(); front < end;) {
      const bool at_end = letters.size() % 2 == 0;
      letters += at_end ? problem.t[--end] : problem.t[front++];
    }
    std::ranges::reverse(letters);
    Answer moves;
    std::string s = problem.s;
    for (std::size_t built = 0; built < letters.size(); ++built) {
      const std::size_t place = s.find(letters[built], built);
      for (const std::size_t x : {s.size() - place, place - built, built + 1}) {
        moves.push_back(static_cast<std::int64_t>(x));
        move(s, moves.back());
      }
    }
    return moves;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return draw_numbers(rng.integer(1, problem.max_k), 1, problem.n, rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer sizes;
    for (std::int64_t x = 1; x <= problem.n; ++x) sizes.push_back(x);
    const std::string ascending = format_answer(sizes);
    std::ranges::reverse(sizes);
    Answer bring;  // each letter of t to the front, last one first
    std::string s = problem.s;
    for (std::size_t i = problem.t.size(); i > 0; --i) {
      bring.push_back(problem.n - static_cast<std::int64_t>(s.find(problem.t[i - 1])));
      move(s, bring.back());
    }
    return {{"the whole string reversed", format_answer(problem.n)},
            {"all moves, shortest first", ascending},
            {"all moves, longest first", format_answer(sizes)},
            {"each letter cut off where it stands", format_answer(bring)}};
  }

 private:
  static void move(std::string& s, std::int64_t x) {
    std::ranges::rotate(s, s.end() - x);
    std::reverse(s.begin(), s.begin() + x);
  }

  // Undoes move(s, x).
  static void move_back(std::string& s, std::int64_t x) {
    std::reverse(s.begin(), s.begin() + x);
    std::ranges::rotate(s, s.begin() + x);
  }

  // Whether no move or one leads to t, or, of strings that are not long, two.
  static bool reached_soon(const Problem& problem) {
    std::vector<std::string> after_one;
    for (int x = 0; x <= problem.n; ++x) {  // the move 0 changes nothing
      after_one.push_back(problem.s);
      move(after_one.back(), x);
      if (after_one.back() == problem.t) return true;
    }
    if (problem.n < kTwoMovesFrom || problem.n > kTwoMovesUpTo) return false;
    for (int x = 1; x <= problem.n; ++x) {
      std::string before_last = problem.t;
      move_back(before_last, x);
      if (std::ranges::find(after_one, before_last) != after_one.end()) return true;
    }
    return false;
  }
};
REDQUEEN_ENVIRONMENT(StringReversalConstruction);

}  // namespace
}  // namespace redqueen
