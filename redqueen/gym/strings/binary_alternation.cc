#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct BinaryAlternation {
  static constexpr Card card{
      .name = "BinaryAlternation",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kPairs,
      .scoring = Scoring::kMinimise,
      .task = "Make a binary string alternate by swaps of two characters, as few as possible.",
      .levels =
          "The number of zeros starts at 2 and grows by a tenth and one a level; there is one one "
          "less, as many, or one more. Beyond level 80 the string would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 a place outside the string or a string that does not alternate in "
          "the end, else (fewest swaps / swaps)^5.",
      .differences =
          "At least one swap is needed. Most strings have as many ones as zeros and are nearer to "
          "one of the two alternating strings. From 3 zeros on, a string is drawn again that "
          "fetching the next character from the right, place by place, solves.",
      .small_answer_space = "With 2 zeros, at level 0, one swap is always enough.",
      .guess_until_level = 0,
      .max_level = 80,
  };

  static constexpr int kRulesFrom = 3;
  static constexpr int kDraws = 300;

  struct Config {
    int zero_count = 0;
    REDQUEEN_FIELDS(zero_count)
  };
  struct Problem {
    std::string string;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(string, gold_answer)
  };
  using Answer = std::vector<std::pair<std::int64_t, std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.zero_count = grow_by_tenth(2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto zeros = static_cast<std::size_t>(config.zero_count);
    const auto draw = [&] {
      const std::size_t ones = zeros + (rng.chance(0.6) ? 0 : rng.chance(0.5) ? 1 : -1);
      Problem problem{.string = std::string(zeros, '0') + std::string(ones, '1'), .gold_answer = 0};
      rng.shuffle(problem.string);
      problem.gold_answer = std::ssize(solve(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (problem.gold_answer == 0) return false;
      return config.zero_count < kRulesFrom || !some_rule_solves<BinaryAlternation>(problem);
    });
  }

  // As many ones as zeros, one less or one more, in random order, which may alternate already.
  static Problem published(const Config& config, Rng& rng) {
    const auto zeros = static_cast<std::size_t>(config.zero_count);
    const std::size_t ones = zeros - 1 + rng.below(3);
    Problem problem{.string = std::string(zeros, '0') + std::string(ones, '1'), .gold_answer = 0};
    rng.shuffle(problem.string);
    problem.gold_answer = std::ssize(solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("string", std::ssize(problem.string), 1, 4 * kMaxShownNumbers));
    if (problem.string.find_first_not_of("01") != std::string::npos) {
      return failure("\"string\": expected characters 0 and 1");
    }
    if (starts(problem.string).empty()) {
      return failure("\"string\": the numbers of 0 and 1 differ by more than one");
    }
    const Answer fewest = solve(problem);
    return reference_is("gold_answer", problem.gold_answer, std::ssize(fewest));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} characters, with places from 0: {}\n"
        "A swap exchanges the characters at any two places, neighbours or not. Turn the string "
        "into one in which no two neighbouring characters are equal, with as few swaps as "
        "possible. Any shortest list of swaps will do.\n"
        "Answer with the swaps in the order in which they are made, each on a line of its own: "
        "its two places, separated by a space. (An empty answer means that no swap is needed.)",
        problem.string.size(), problem.string);
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::string s = problem.string;
    for (const auto& [i, j] : answer) {
      if (i < 0 || j < 0 || i >= std::ssize(s) || j >= std::ssize(s)) return kInvalidReward;
      std::swap(s[i], s[j]);
    }
    if (std::ranges::adjacent_find(s) != s.end()) return kInvalidReward;
    return minimise_reward(std::ssize(answer), problem.gold_answer);
  }

  // No swap puts more than one 0 and one 1 in its place, so that the misplaced zeros of the nearer
  // alternating string, which are as many as its misplaced ones, are the fewest swaps.
  static Answer solve(const Problem& problem) {
    Answer best;
    bool found = false;
    for (const char start : starts(problem.string)) {
      Answer swaps = exchange_misplaced(problem.string, start);
      if (!found || swaps.size() < best.size()) best = std::move(swaps);
      found = true;
    }
    return best;
  }

  // Swaps that make the string alternate, and some that do nothing.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::string allowed = starts(problem.string);
    Answer answer = exchange_misplaced(problem.string, rng.choice(allowed));
    for (std::int64_t extra = rng.integer(1, 3); extra > 0; --extra) {
      const std::int64_t place = rng.integer(0, std::ssize(problem.string) - 1);
      answer.emplace_back(place, place);
    }
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::string allowed = starts(problem.string);
    return {{"fetching the next character from the right, from 0 on if possible",
             fetch(problem.string, allowed.front())},
            {"fetching the next character from the right, from 1 on if possible",
             fetch(problem.string, allowed.back())}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static char at(char start, std::size_t place) {
    return static_cast<char>(start ^ static_cast<char>(place % 2));
  }

  // The characters that an alternating string of these zeros and ones can begin with; empty if
  // there is none.
  static std::string starts(const std::string& s) {
    const std::int64_t zeros = std::ranges::count(s, '0');
    const std::int64_t excess = 2 * zeros - std::ssize(s);
    if (excess == 0) return "01";
    if (excess == 1) return "0";
    if (excess == -1) return "1";
    return "";
  }

  static Answer exchange_misplaced(const std::string& s, char start) {
    Answer swaps;
    std::size_t zeros = 0;  // swaps whose misplaced zero, or one, is known
    std::size_t ones = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (s[i] == at(start, i)) continue;
      const bool is_zero = s[i] == '0';
      std::size_t& known = is_zero ? zeros : ones;
      if (known == swaps.size()) swaps.emplace_back();
      (is_zero ? swaps[known].first : swaps[known].second) = static_cast<std::int64_t>(i);
      ++known;
    }
    return swaps;
  }

  // Fills place by place from the places to the right.
  static Answer fetch(std::string s, char start) {
    Answer swaps;
    std::size_t next = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const char wanted = at(start, i);
      if (s[i] == wanted) continue;
      next = s.find(wanted, std::max(next, i));  // up to the last one found, none is wanted
      if (next == std::string::npos) break;
      std::swap(s[i], s[next]);
      swaps.emplace_back(i, next);
    }
    return swaps;
  }
};
REDQUEEN_ENVIRONMENT(BinaryAlternation);

}  // namespace
}  // namespace redqueen
