#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/sequence/ballot.h"

namespace redqueen {
namespace {

struct Kth_SemiBalancedBracketSequence {
  static constexpr Card card{
      .name = "Kth_SemiBalancedBracketSequence",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kElementWise,
      .task =
          "Give the K-th, in lexicographical order, of the bracket strings that become balanced "
          "without one of their characters.",
      .levels =
          "The strings have 3 characters and two more a level. Beyond level 33 their number leaves "
          "64 bits.",
      .rewards =
          "-1 malformed, -0.5 another length or other characters, else (characters that are right "
          "/ N)^5.",
      .small_answer_space = "At level 0 there are four strings, at level 1 ten.",
      .guess_until_level = 1,
      .max_level = 33,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxLength = 69;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(N, K)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = 3 + 2 * level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return {.N = config.N, .K = rng.integer(1, completions(0, 0, config.N))};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    if (problem.N % 2 == 0) return failure("\"N\": {} is even", problem.N);
    return within("K", problem.K, 1, completions(0, 0, problem.N));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A string of the characters ( and ) is balanced if it holds as many ( as ) and none of its "
        "beginnings holds more ) than (. The empty string is balanced. Call a string good if one "
        "of its characters can be deleted so that what remains is balanced.\n"
        "List all different good strings of {} characters in lexicographical order, ( before ). "
        "Which string is at place {} of this list, the first place being 1?\n"
        "Answer with this string, without spaces.",
        problem.N, problem.K);
  }

  static std::optional<Answer> parse(std::string_view text) { return Answer(trim(text)); }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N || answer.find_first_not_of("()") != std::string::npos) {
      return kInvalidReward;
    }
    const Answer right = solve(problem);
    std::int64_t matches = 0;
    for (int i = 0; i < problem.N; ++i) matches += answer[i] == right[i];
    return share_reward(matches, problem.N, kBeta);
  }

  static Answer solve(const Problem& problem) {
    Answer found;
    std::int64_t place = problem.K;
    int height = 0;
    int lowest = 0;
    while (std::ssize(found) < problem.N) {
      const int left = problem.N - static_cast<int>(found.size()) - 1;
      const std::int64_t opened = completions(height + 1, lowest, left);
      if (place <= opened) {
        found += '(';
        ++height;
      } else {
        place -= opened;
        found += ')';
        --height;
        lowest = std::min(lowest, height);
      }
    }
    return found;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = draw_ballot(problem.N / 2, '(', ')', rng);
    answer.insert(rng.below(answer.size() + 1), 1, rng.chance(0.5) ? '(' : ')');
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto half = static_cast<std::size_t>(problem.N / 2);
    std::string in_turn;
    for (std::size_t i = 0; i < half; ++i) in_turn += "()";
    return {{"all (", std::string(static_cast<std::size_t>(problem.N), '(')},
            {"(…()…)", std::string(half + 1, '(') + std::string(half, ')')},
            {"()()…(", in_turn + "("}};
  }

 private:
  // A good string leads, ( up and ) down, from 0 to 1 and never below 0, or to -1 and never below
  // -1. How many ends of `left` characters make one of a beginning that leads to `height` with its
  // lowest point at `lowest`.
  static std::int64_t completions(int height, int lowest, int left) {
    Int128 count = 0;
    if (lowest >= 0) count += paths(height, 1, left);
    if (lowest >= -1) count += paths(height + 1, 0, left);
    return static_cast<std::int64_t>(count);
  }

  // Paths from one height to another that never go below 0, by reflection.
  static Int128 paths(int from, int to, int length) {
    if (from < 0) return 0;
    return ways(length, length + to - from) - ways(length, length + to + from + 2);
  }

  // C(n, doubled / 2); 0 where there is no such binomial coefficient.
  static Int128 ways(int n, int doubled) {
    static const std::vector<std::vector<Int128>> kTriangle = [] {
      std::vector<std::vector<Int128>> rows(kMaxLength + 1);
      for (int row = 0; row <= kMaxLength; ++row) {
        rows[row].assign(static_cast<std::size_t>(row) + 1, 1);
        for (int i = 1; i < row; ++i) rows[row][i] = rows[row - 1][i - 1] + rows[row - 1][i];
      }
      return rows;
    }();
    if (doubled < 0 || doubled % 2 != 0 || doubled / 2 > n) return 0;
    return kTriangle[n][doubled / 2];
  }
};
REDQUEEN_ENVIRONMENT(Kth_SemiBalancedBracketSequence);

}  // namespace
}  // namespace redqueen
