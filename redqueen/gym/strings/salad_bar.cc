#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct SaladBar {
  static constexpr Card card{
      .name = "SaladBar",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Find the longest piece of a string of j and p none of whose beginnings or endings holds "
          "more j than p.",
      .levels =
          "The string grows from 3 letters by a tenth and one a level. Beyond level 80 it would be "
          "too long to read.",
      .rewards =
          "-1 malformed, -0.5 no piece, or one with such a beginning or ending, else (length / "
          "greatest length)^5.",
      .differences =
          "About half of the letters are p, and from 5 letters on the longest piece has 3 or more "
          "and is longer than the longest run of p. From 8 letters on, it begins at the first p or "
          "ends at the last, but no longest piece does both; from 12 letters on, it mostly does "
          "neither.",
      .small_answer_space =
          "There are 15 pieces at level 2. In strings of up to 10 letters, which are those up to "
          "level 7, a longest piece that is no run of p begins at the first p or ends at the "
          "last, but for nine strings: on each side, where it does not, there must be a p and "
          "two letters j.",
      .guess_until_level = 7,
      .source = "POI XXI (2014), Salad Bar (Bar salatkowy).",
      .max_level = 80,
  };

  static constexpr int kFewLetters = 5;
  static constexpr int kSomeLetters = 8;
  static constexpr int kManyLetters = 12;
  static constexpr double kOneRule = 0.03;  // how often one rule may solve a problem
  static constexpr int kDraws = 500;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::string S;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, S, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // the first place, and the one after the last

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .S = {}, .gold_answer = 0};
      const double share = rng.real(0.35, 0.6);
      for (int i = 0; i < config.N; ++i) problem.S += rng.chance(share) ? 'p' : 'j';
      const Answer piece = solve(problem);
      problem.gold_answer = piece[1] - piece[0];
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (problem.S.find('p') == std::string::npos || problem.S.find('j') == std::string::npos) {
        return false;
      }
      if (config.N < kFewLetters) return true;
      if (problem.gold_answer < 3) return false;
      const std::vector<SimpleRule<Answer>> tried = rules(problem);
      const auto solves = [&](const SimpleRule<Answer>& rule) {
        return rule.answer[1] - rule.answer[0] == problem.gold_answer;
      };
      if (config.N < kSomeLetters) return !solves(tried.front());
      const std::int64_t solving = std::ranges::count_if(tried, solves);
      return solving == 0 || (solving == 1 && (config.N < kManyLetters || rng.chance(kOneRule)));
    });
  }

  // Up to 0.7 of the letters are p, drawn again until both letters occur.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .S = {}, .gold_answer = 0};
    const double share = rng.real(0.0, 0.7);
    do {
      problem.S.clear();
      for (int i = 0; i < config.N; ++i) problem.S += rng.chance(share) ? 'p' : 'j';
    } while (problem.S.find('p') == std::string::npos || problem.S.find('j') == std::string::npos);
    const Answer piece = solve(problem);
    problem.gold_answer = piece[1] - piece[0];
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, 4 * kMaxShownNumbers));
    if (std::ssize(problem.S) != problem.N ||
        problem.S.find_first_not_of("jp") != std::string::npos ||
        problem.S.find('p') == std::string::npos) {
      return failure("\"S\": expected {} letters j and p", problem.N);
    }
    const Answer piece = solve(problem);
    return reference_is("gold_answer", problem.gold_answer, piece[1] - piece[0]);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} letters, with places from 0: {}\n"
        "Find a contiguous piece, as long as possible and with at least one letter, such that no "
        "beginning of the piece holds more letters j than p, and no ending of the piece holds more "
        "letters j than p; the whole piece is one of its beginnings and endings. If several are "
        "longest, any of them will do.\n"
        "Answer with two integers, separated by a space: the first place of the piece, and the "
        "place after its last one (a piece of the single place 0 is \"0 1\").",
        problem.N, problem.S);
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto answer = parse_int_list(text);
    if (answer && answer->size() != 2) return std::nullopt;
    return answer;
  }

  static double score(const Problem& problem, const Answer& answer) {
    const std::int64_t first = answer[0];
    const std::int64_t end = answer[1];
    if (first < 0 || end <= first || end > problem.N) return kInvalidReward;
    const std::string_view piece = std::string_view(problem.S).substr(first, end - first);
    if (!never_lags(piece.begin(), piece.end()) || !never_lags(piece.rbegin(), piece.rend())) {
      return kInvalidReward;
    }
    return maximise_reward(end - first, problem.gold_answer);
  }

  // With sums of +1 for p and -1 for j, a piece is good if its first sum is least and its last one
  // greatest. From the right: furthest[i] is the last greatest sum that can be reached from i
  // without going below it. Through p, that is what i + 1 reaches, or what can be reached from
  // where the sum first comes back to that of i.
  static Answer solve(const Problem& problem) {
    const int n = problem.N;
    std::vector<int> sums(static_cast<std::size_t>(n) + 1);
    for (int i = 0; i < n; ++i) sums[i + 1] = sums[i] + (problem.S[i] == 'p' ? 1 : -1);
    std::vector<int> furthest(sums.size());
    std::vector<int> next_with(2 * static_cast<std::size_t>(n) + 1, -1);  // by sum + n
    Answer best{0, 0};
    for (int i = n; i >= 0; --i) {
      furthest[i] = i;
      if (i < n && problem.S[i] == 'p') {
        furthest[i] = furthest[i + 1];
        const int back = next_with[sums[i] + n];
        if (back >= 0 && sums[furthest[back]] >= sums[furthest[i]]) furthest[i] = furthest[back];
      }
      next_with[sums[i] + n] = i;
      if (furthest[i] - i > best[1] - best[0]) best = {i, furthest[i]};
    }
    return best;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const auto p = static_cast<std::int64_t>(problem.S.find('p'));
    if (rng.chance(0.6)) return {p, p + 1};
    const std::int64_t first = rng.integer(0, problem.N - 1);
    return {first, rng.integer(first + 1, problem.N)};
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer run{0, 0};
    for (int i = 0, first = 0; i < problem.N; ++i) {
      if (problem.S[i] != 'p') first = i + 1;
      if (i + 1 - first > run[1] - run[0]) run = {first, i + 1};
    }
    const auto first = static_cast<std::int64_t>(problem.S.find('p'));
    const auto end = static_cast<std::int64_t>(problem.S.rfind('p')) + 1;
    return {{"the longest run of p", run},
            {"the longest from the first p on", longest_piece(problem, first, -1)},
            {"the longest up to the last p", longest_piece(problem, -1, end)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  template <typename Letter>
  static bool never_lags(Letter from, Letter end) {
    std::int64_t excess = 0;
    for (; from != end; ++from) {
      if ((excess += *from == 'p' ? 1 : -1) < 0) return false;
    }
    return true;
  }

  // The longest good piece with the given first place, or if that is -1, with the given end.
  static Answer longest_piece(const Problem& problem, std::int64_t first, std::int64_t end) {
    const bool forward = first >= 0;
    std::int64_t excess = 0;
    std::int64_t greatest = 0;
    std::int64_t length = 0;
    for (std::int64_t taken = 1;; ++taken) {
      const std::int64_t place = forward ? first + taken - 1 : end - taken;
      if (place < 0 || place >= problem.N) break;
      excess += problem.S[place] == 'p' ? 1 : -1;
      if (excess < 0) break;
      if (excess >= greatest) {
        greatest = excess;
        length = taken;
      }
    }
    return forward ? Answer{first, first + length} : Answer{end - length, end};
  }
};
REDQUEEN_ENVIRONMENT(SaladBar);

}  // namespace
}  // namespace redqueen
