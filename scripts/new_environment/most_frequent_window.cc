#include <algorithm>
#include <map>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MostFrequentWindow {
  static constexpr Card card{
      .name = "MostFrequentWindow",
      .family = Family::kStrings,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kExact,
      .task = "Find the substring of a given length that occurs most often in a string.",
      .levels =
          "The string has 16 letters and 6 more a level; the substring has 2, and one more every "
          "8 levels.",
      .rewards = "-1 another length or other letters, 0 wrong, 1 right.",
      .source = "A standard task.",
  };

  static constexpr std::string_view kLetters = "abcde";
  static constexpr int kDraws = 200;

  struct Config {
    int N = 0;
    int K = 0;
    REDQUEEN_FIELDS(N, K)
  };
  struct Problem {
    std::string S;
    int K = 0;
    REDQUEEN_FIELDS(S, K)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = 16 + 6 * level, .K = 2 + level / 8}; }

  // The first and the last substring are never the answer.
  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.S = {}, .K = config.K};
      for (int i = 0; i < config.N; ++i) problem.S += kLetters[rng.below(kLetters.size())];
      return problem;
    };
    return draw_accepted(kDraws, draw, [](const Problem& problem) {
      return !some_rule_solves<MostFrequentWindow>(problem);
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("S", std::ssize(problem.S), 1, 10 * kMaxShownNumbers));
    RETURN_IF_ERROR(within("K", problem.K, 1, std::ssize(problem.S)));
    if (problem.S.find_first_not_of(kLetters) == std::string::npos) return {};
    return failure("\"S\": expected letters a to e");
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} letters: {}\n"
        "Which substring of {} consecutive letters occurs in it most often? Occurrences may "
        "overlap. Of several that occur equally often, it is the first in the alphabet.\n"
        "Answer with this substring, without spaces.",
        problem.S.size(), problem.S, problem.K);
  }

  static std::optional<Answer> parse(std::string_view text) { return Answer(trim(text)); }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K ||
        answer.find_first_not_of(kLetters) != std::string::npos) {
      return kMalformedReward;
    }
    return exact_reward(answer == solve(problem));
  }

  static Answer solve(const Problem& problem) {
    std::map<std::string_view, int> count;  // in the order of the alphabet
    const std::string_view all = problem.S;
    const auto length = static_cast<std::size_t>(problem.K);
    for (std::size_t i = 0; i + length <= all.size(); ++i) ++count[all.substr(i, length)];
    return Answer(
        std::ranges::max_element(count, {}, [](const auto& entry) { return entry.second; })->first);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return problem.S.substr(rng.below(problem.S.size() - problem.K + 1), problem.K);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"the first substring", problem.S.substr(0, problem.K)},
            {"the last substring", problem.S.substr(problem.S.size() - problem.K)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }
};
REDQUEEN_ENVIRONMENT(MostFrequentWindow);

}  // namespace
}  // namespace redqueen
