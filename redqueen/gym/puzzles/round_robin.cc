#include <algorithm>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct RoundRobin {
  static constexpr Card card{
      .name = "RoundRobin",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kElementWise,
      .task = "Find results of a round-robin tournament that give every team its points.",
      .levels = "From 3 teams, one more a level.",
      .rewards =
          "-1 no matrix of the right size, -0.5 results that contradict each other, else (teams "
          "with the right points / teams)^5.",
      .differences =
          "At most seven tenths of the matches are drawn on average. From 5 teams on, a problem is "
          "drawn again that is solved by draws alone, by the team with more points winning, or by "
          "giving every team, from the first or from the best on, wins over the weakest.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "Three teams play three matches at level 0, four play six at level 1.",
      .guess_until_level = 1,
  };

  static constexpr int kMaxTeams = 300;
  static constexpr int kRulesFrom = 5;
  static constexpr double kMostDraws = 0.7;
  static constexpr double kBeta = 5.0;
  static constexpr int kDraws = 500;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> W;   // points
    std::string reference_answer;  // a matrix that gives them
    REDQUEEN_FIELDS(N, W, reference_answer)
  };
  using Answer = std::vector<std::string>;  // the rows, of digits

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config.N, rng.real(0.0, kMostDraws), rng); },
        [&](const Problem& problem) {
          return config.N < kRulesFrom || !some_rule_solves<RoundRobin>(problem);
        });
  }

  // Any share of the matches may be drawn.
  static Problem published(const Config& config, Rng& rng) {
    return draw(config.N, rng.real(), rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxTeams));
    RETURN_IF_ERROR(check_numbers("W", problem.W, problem.N, 0, 3 * kMaxTeams));
    if (score(problem, *parse(problem.reference_answer)) != 1.0) {
      return failure("\"reference_answer\" does not give the points \"W\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (int i = 0; i < problem.N; ++i) {
      append_format(list, "{}team {}: {}", i == 0 ? "" : ", ", i, problem.W[i]);
    }
    return fmt::format(
        "Each of {0} teams, numbered from 0 to {1}, played once against each other team. A win "
        "gave 3 points, a draw 1 to both teams, a loss 0. In the end they had these points: {2}.\n"
        "Find results that give exactly these points; if there are several ways, any of them will "
        "do. Write them as a matrix of {0} rows and {0} columns, numbered from 0: in row i and "
        "column j stands 2 if team i won against team j, 1 if they drew, and 0 if team i lost "
        "against team j; on the diagonal stands 0.\n"
        "Answer with the matrix: {0} lines of {0} digits, without spaces.",
        problem.N, problem.N - 1, list);
  }

  static std::optional<Answer> parse(std::string_view text) {
    Answer rows;
    for (const std::string_view line : split_lines(text)) rows.emplace_back(line);
    return rows;
  }

  static double score(const Problem& problem, const Answer& answer) {
    const auto teams = static_cast<std::size_t>(problem.N);
    if (answer.size() != teams) return kMalformedReward;
    for (const std::string& row : answer) {
      if (row.size() != teams || row.find_first_not_of("012") != std::string::npos) {
        return kMalformedReward;
      }
    }
    for (std::size_t i = 0; i < teams; ++i) {
      if (answer[i][i] != '0') return kInvalidReward;
      for (std::size_t j = 0; j < i; ++j) {
        if (answer[i][j] - '0' + answer[j][i] - '0' != 2) return kInvalidReward;
      }
    }
    const std::vector<std::int64_t> reached = points(answer);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < teams; ++i) matches += reached[i] == problem.W[i];
    return share_reward(matches, problem.N, kBeta);
  }

  static Answer solve(const Problem& problem) { return *parse(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_results(problem.N, 0.3, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const int n = problem.N;
    const auto& w = problem.W;
    std::vector<int> as_given(n);
    std::iota(as_given.begin(), as_given.end(), 0);
    std::vector<int> best_first = as_given;
    std::ranges::stable_sort(best_first, [&](int i, int j) { return w[i] > w[j]; });
    return {{"draws alone", results(n, [](int, int) { return 1; })},
            {"more points win, the first team of equals",
             results(n, [&](int i, int j) { return w[i] >= w[j] ? 2 : 0; })},
            {"more points win, equals draw",
             results(n, [&](int i, int j) { return w[i] == w[j]  ? 1
                                                   : w[i] > w[j] ? 2
                                                                 : 0; })},
            {"team by team, wins over the weakest", team_by_team(problem, as_given)},
            {"team by team from the best on, wins over the weakest",
             team_by_team(problem, best_first)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem draw(int teams, double draws, Rng& rng) {
    const Answer results = random_results(teams, draws, rng);
    return {.N = teams, .W = points(results), .reference_answer = format_answer(results)};
  }

  // result(i, j) for i < j; what j has follows.
  template <typename Result>
  static Answer results(int n, Result result) {
    Answer rows(n, std::string(n, '0'));
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) set(rows, i, j, result(i, j));
    }
    return rows;
  }

  static void set(Answer& rows, int i, int j, int result) {
    rows[i][j] = static_cast<char>('0' + result);
    rows[j][i] = static_cast<char>('2' - result);
  }

  static Answer random_results(int n, double draws, Rng& rng) {
    return results(n, [&](int, int) { return rng.chance(draws) ? 1 : rng.chance(0.5) ? 2 : 0; });
  }

  static std::vector<std::int64_t> points(const Answer& rows) {
    std::vector<std::int64_t> total;
    for (const std::string& row : rows) {
      total.push_back(3 * std::ranges::count(row, '2') + std::ranges::count(row, '1'));
    }
    return total;
  }

  // Each team in turn gets what it lacks from those that come later: wins over those that lack
  // least, then draws, and losses against the others.
  static Answer team_by_team(const Problem& problem, std::vector<int> left) {
    Answer rows(problem.N, std::string(problem.N, '0'));
    std::vector<std::int64_t> lacks = problem.W;
    while (!left.empty()) {
      const int team = left.front();
      left.erase(left.begin());
      std::vector<int> weakest = left;
      std::ranges::stable_sort(weakest, [&](int i, int j) { return lacks[i] < lacks[j]; });
      const std::int64_t wins = std::max<std::int64_t>(0, lacks[team]) / 3;
      const std::int64_t draws = std::max<std::int64_t>(0, lacks[team]) % 3;
      for (std::int64_t i = 0; i < std::ssize(weakest); ++i) {
        const int result = i < wins ? 2 : i < wins + draws ? 1 : 0;
        set(rows, team, weakest[i], result);
        lacks[weakest[i]] -= result == 0 ? 3 : result == 1 ? 1 : 0;
      }
    }
    return rows;
  }
};
REDQUEEN_ENVIRONMENT(RoundRobin);

}  // namespace
}  // namespace redqueen
