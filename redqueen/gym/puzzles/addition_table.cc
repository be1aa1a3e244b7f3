#include <algorithm>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"

namespace redqueen {
namespace {

struct AdditionTable {
  static constexpr Card card{
      .name = "AdditionTable",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task =
          "Find out which digits the letters of an addition table stand for, and in which base.",
      .levels =
          "The base starts at 3 and grows by one a level up to 26, at level 23. The whole table is "
          "shown, so that it is its size that grows, not the depth of the puzzle.",
      .rewards =
          "-0.5 anything but the right number of integers, 0 another base, else (letters that are "
          "right / N)^3.",
      .differences =
          "Letters in the order of their digits, or in the reverse order, are drawn again.",
      .max_level = 23,
  };

  static constexpr int kLeastBase = 3;
  static constexpr int kLetters = 26;
  static constexpr double kBeta = 3.0;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::string> digit2letter;
    REDQUEEN_FIELDS(N, digit2letter)
  };
  using Answer = std::vector<std::int64_t>;  // the base, then a value for each letter

  static Config at_level(int level, Rng&) { return {.N = std::min(kLetters, kLeastBase + level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = in_order(config);
    do {
      rng.shuffle(problem.digit2letter);
    } while (std::ranges::is_sorted(problem.digit2letter) ||
             std::ranges::is_sorted(problem.digit2letter, std::ranges::greater()));
    return problem;
  }

  // The letters in any order.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem = in_order(config);
    rng.shuffle(problem.digit2letter);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, kLeastBase, kLetters));
    std::vector<std::string> letters = problem.digit2letter;
    std::ranges::sort(letters);
    bool are_first = std::ssize(letters) == problem.N;
    for (int i = 0; are_first && i < problem.N; ++i) {
      are_first = letters[i] == std::string(1, static_cast<char>('a' + i));
    }
    if (!are_first) {
      return failure("\"digit2letter\": expected each of the first {} letters once", problem.N);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    const Answer answer = solve(problem);
    const auto letter = [](int i) { return static_cast<char>('a' + i); };
    std::string table;
    for (int x = 0; x < problem.N; ++x) {
      for (int y = x; y < problem.N; ++y) {
        const std::int64_t sum = answer[1 + x] + answer[1 + y];
        append_format(table, "{} + {} = {}{}\n", letter(x), letter(y),
                      sum < problem.N ? "" : problem.digit2letter[1],
                      problem.digit2letter[sum % problem.N]);
      }
    }
    return fmt::format(
        "Numbers are written in an unknown base N, with the {} letters from a to {} as digits. "
        "Each letter stands for another one of the digits 0 to N - 1, and each digit has a letter; "
        "which one is not known. These are the sums of all pairs of letters, written in that way, "
        "the most "
        "significant letter first:\n"
        "{}"
        "Find the base and what every letter stands for.\n"
        "Answer with {} integers in decimal, separated by spaces: first the base N, then the "
        "values of the letters in alphabetical order.",
        problem.N, letter(problem.N - 1), table, problem.N + 1);
  }

  // What is no list of integers is scored as a list of the wrong length.
  static std::optional<Answer> parse(std::string_view text) {
    return parse_int_list(text).value_or(Answer());
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N + 1) return kInvalidReward;
    if (answer[0] != problem.N) return 0.0;
    const Answer right = solve(problem);
    std::int64_t matches = -1;  // the base is none
    for (std::size_t i = 0; i < right.size(); ++i) matches += answer[i] == right[i];
    return share_reward(matches, problem.N, kBeta);
  }

  static Answer solve(const Problem& problem) {
    Answer answer(problem.digit2letter.size() + 1, problem.N);
    for (int digit = 0; digit < problem.N; ++digit) {
      answer[1 + problem.digit2letter[digit][0] - 'a'] = digit;
    }
    return answer;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer{problem.N};
    for (const int digit : rng.permutation(problem.N)) answer.push_back(digit);
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer ascending{problem.N};
    Answer descending{problem.N};
    for (int i = 0; i < problem.N; ++i) {
      ascending.push_back(i);
      descending.push_back(problem.N - 1 - i);
    }
    return {{"a = 0, b = 1, ...", format_answer(ascending)},
            {"the last letter = 0, the one before = 1, ...", format_answer(descending)},
            {"zero for every letter", fmt::format("{}{}", problem.N, zeros(problem.N))}};
  }

 private:
  // The first letter stands for 0, the second for 1, …
  static Problem in_order(const Config& config) {
    Problem problem{.N = config.N, .digit2letter = {}};
    for (int i = 0; i < config.N; ++i) {
      problem.digit2letter.emplace_back(1, static_cast<char>('a' + i));
    }
    return problem;
  }

  static std::string zeros(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += " 0";
    return text;
  }
};
REDQUEEN_ENVIRONMENT(AdditionTable);

}  // namespace
}  // namespace redqueen
