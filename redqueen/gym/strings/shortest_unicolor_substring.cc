#include <algorithm>
#include <array>
#include <queue>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/text.h"

namespace redqueen {
namespace {

struct ShortestUnicolorSubstring {
  static constexpr Card card{
      .name = "ShortestUnicolorSubstring",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kMinimise,
      .task =
          "Change at most K characters of a binary string so that its longest run of equal "
          "characters becomes as short as possible.",
      .levels =
          "The string grows from 5 characters by a tenth and one a level. Beyond level 80 it would "
          "be too long to write.",
      .rewards =
          "-1 another length or other characters, -0.5 more than K changes, else (shortest longest "
          "run / longest run)^5.",
      .differences =
          "Runs are long. From 6 characters on, at most one of several simple rules solves a "
          "problem, and from 16 on none: the string itself, the alternating strings, changing the "
          "third or the fourth of equal characters, and cutting the longest run in the middle "
          "again and again. Of several draws, each rule among them is about as likely.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Up to level 7, with 14 characters, few problems are solved by no such rule: four of 8 "
          "characters and 20 of 10. So each rule has its share.",
      .guess_until_level = 7,
      .max_level = 80,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewCharacters = 6;
  static constexpr int kManyCharacters = 16;
  static constexpr int kCandidates = 32;
  static constexpr double kLeftOut = 0.3;  // how often, for each of the two rules that solve most
  static constexpr int kDraws = 500;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::string S;
    int K = 0;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, S, K, gold_answer)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] { return draw_problem(config.N, rng); };
    if (config.N < kFewCharacters) return draw();
    if (config.N >= kManyCharacters) {
      return draw_accepted(kDraws, draw, [](const Problem& problem) {
        return !some_rule_is_best<ShortestUnicolorSubstring>(
            problem, [&](const Answer& answer) { return is_best(problem, answer); });
      });
    }
    using Candidate = std::optional<std::pair<std::string_view, Problem>>;
    const std::string_view left_out = rng.chance(kLeftOut)   ? kHalving
                                      : rng.chance(kLeftOut) ? kThird
                                                             : std::string_view();
    return draw_spread(kCandidates, rng, [&]() -> Candidate {
      Problem problem = draw();
      std::string_view solving;
      const bool several = try_rules(problem, [&](std::string_view rule, const Answer& answer) {
        if (!is_best(problem, answer)) return false;
        const bool is_second = !solving.empty();
        solving = rule == kInTurn[1] ? kInTurn[0] : rule;
        return is_second;
      });
      if (several || (!solving.empty() && solving == left_out)) return std::nullopt;
      return std::pair(solving, std::move(problem));
    });
  }

  // Characters in a proportion of any kind, and up to half of them may be changed.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .S = {}, .K = 0, .gold_answer = 0};
    const double ones = rng.real();
    for (int i = 0; i < config.N; ++i) problem.S += rng.chance(ones) ? '1' : '0';
    problem.K = static_cast<int>(rng.integer(1, config.N / 2));
    problem.gold_answer = longest_run(solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, 4 * kMaxShownNumbers));
    RETURN_IF_ERROR(within("K", problem.K, 0, problem.N));
    RETURN_IF_ERROR(check_text("S", problem.S, problem.N, "01", "characters 0 or 1"));
    return reference_is("gold_answer", problem.gold_answer, longest_run(solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} characters 0 and 1: {}\n"
        "Change at most {} of its characters from 0 to 1 or from 1 to 0 such that the longest run "
        "of equal characters one after another is as short as possible. If several strings are "
        "best, any of them will do.\n"
        "Answer with the whole changed string, without spaces.",
        problem.N, problem.S, problem.K);
  }

  static std::optional<Answer> parse(const Problem& problem, std::string_view text) {
    text = trim(text);
    if (std::ssize(text) != problem.N || text.find_first_not_of("01") != std::string_view::npos) {
      return std::nullopt;
    }
    return Answer(text);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (changes(problem, answer) > problem.K) return kInvalidReward;
    return minimise_reward(longest_run(answer), problem.gold_answer, kBeta);
  }

  // A run of length l needs ⌊l / (x + 1)⌋ changes for pieces of at most x ≥ 2 characters, all of
  // them inside it. With x = 1 runs cannot be treated apart: the string must alternate.
  static Answer solve(const Problem& problem) {
    for (const char first : {'0', '1'}) {
      Answer answer = alternating(problem.N, first);
      if (changes(problem, answer) <= problem.K) return answer;
    }
    std::int64_t low = 2;
    std::int64_t high = std::max<std::int64_t>(2, longest_run(problem.S));
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (changes(problem, split(problem.S, middle)) <= problem.K) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return split(problem.S, low);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = problem.S;
    for (const std::int64_t i : rng.sample(0, problem.N - 1, static_cast<std::size_t>(problem.K))) {
      answer[i] = other(answer[i]);
    }
    return answer;
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    return visit("the string itself", problem.S) ||
           visit(kInTurn[0], alternating(problem.N, '0')) ||
           visit(kInTurn[1], alternating(problem.N, '1')) ||
           visit(kThird, interrupted(problem, 2)) ||
           visit("the fourth of equal characters, from left to right", interrupted(problem, 3)) ||
           visit(kHalving, halved(problem));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<ShortestUnicolorSubstring>(problem));
  }

 private:
  static constexpr std::string_view kThird = "the third of equal characters, from left to right";
  static constexpr std::string_view kHalving = "the longest run cut in the middle, again and again";
  static constexpr std::array<std::string_view, 2> kInTurn{"0 and 1 in turn", "1 and 0 in turn"};

  static Problem draw_problem(int n, Rng& rng) {
    Problem problem{.N = n, .S = {}, .K = 0, .gold_answer = 0};
    const double change = rng.real(0.1, 0.5);  // the chance that a run ends
    char character = rng.chance(0.5) ? '0' : '1';
    for (int i = 0; i < n; ++i) {
      problem.S += character;
      if (rng.chance(change)) character = other(character);
    }
    problem.K = static_cast<int>(rng.integer(1, n < kManyCharacters ? n / 2 : n / 4));
    problem.gold_answer = longest_run(solve(problem));
    return problem;
  }

  // Changes the first K characters, from left to right, that would make a run of more than x.
  static Answer interrupted(const Problem& problem, std::int64_t x) {
    Answer answer = problem.S;
    int left = problem.K;
    for (std::int64_t i = 0, run = 0; i < problem.N && left > 0; ++i) {
      run = i > 0 && answer[i] == answer[i - 1] ? run + 1 : 1;
      if (run <= x) continue;
      answer[i] = other(answer[i]);
      run = 1;
      --left;
    }
    return answer;
  }

  // Changes the middle of the longest run, the first if there are several, K times; runs of one or
  // two characters stay.
  static Answer halved(const Problem& problem) {
    Answer answer = problem.S;
    std::priority_queue<std::pair<std::int64_t, std::int64_t>> runs;  // length, −first place
    std::int64_t begin = 0;
    for (std::int64_t i = 1; i <= problem.N; ++i) {
      if (i < problem.N && answer[i] == answer[begin]) continue;
      runs.emplace(i - begin, -begin);
      begin = i;
    }
    for (int left = problem.K; left > 0 && runs.top().first > 2; --left) {
      const auto [length, first] = runs.top();
      runs.pop();
      const std::int64_t middle = length / 2 - first;
      answer[middle] = other(answer[middle]);
      runs.emplace(length / 2, first);
      runs.emplace(length - length / 2 - 1, -middle - 1);
    }
    return answer;
  }

  static bool is_best(const Problem& problem, const Answer& answer) {
    return longest_run(answer) == problem.gold_answer && changes(problem, answer) <= problem.K;
  }

  static char other(char c) { return c == '0' ? '1' : '0'; }

  static std::int64_t changes(const Problem& problem, const Answer& answer) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) count += answer[i] != problem.S[i];
    return count;
  }

  static std::int64_t longest_run(const std::string& s) {
    std::int64_t longest = 0;
    std::int64_t run = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      run = i > 0 && s[i] == s[i - 1] ? run + 1 : 1;
      longest = std::max(longest, run);
    }
    return longest;
  }

  static Answer alternating(int n, char first) {
    Answer answer;
    for (int i = 0; i < n; ++i) answer += i % 2 == 0 ? first : other(first);
    return answer;
  }

  // Changes each (x + 1)-th character of every run; where that is its last one, which would prolong
  // the next run, the one before it. x ≥ 2.
  static Answer split(const std::string& s, std::int64_t x) {
    Answer answer = s;
    std::int64_t begin = 0;
    for (std::int64_t i = 1; i <= std::ssize(s); ++i) {
      if (i < std::ssize(s) && s[i] == s[begin]) continue;
      for (std::int64_t place = begin + x; place < i; place += x + 1) {
        const std::int64_t changed = place + 1 == i ? place - 1 : place;
        answer[changed] = other(s[begin]);
      }
      begin = i;
    }
    return answer;
  }
};
REDQUEEN_ENVIRONMENT(ShortestUnicolorSubstring);

}  // namespace
}  // namespace redqueen
