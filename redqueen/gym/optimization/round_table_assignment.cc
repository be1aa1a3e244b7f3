#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct RoundTableAssignment {
  static constexpr Card card{
      .name = "RoundTableAssignment",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kFeasibility,
      .task =
          "Seat groups of people at tables of given sizes such that no two of a group sit at the "
          "same table.",
      .levels =
          "Groups, their sizes and tables are bounded by a number that grows from 3 by a tenth and "
          "one a level. Beyond level 35 the answer would be too long to write.",
      .rewards =
          "-1 malformed, -0.5 a line too many or too few, or one that does not name as many "
          "different tables as its group has members, else (tables that are not too full / "
          "tables)^5.",
      .differences =
          "Some tables are chosen more often than others, so that their sizes differ. From a bound "
          "of 5 on, a problem is drawn again that is solved by seating people round the tables in "
          "turn, at the first tables, at the first free ones, or at the emptiest ones.",
      .slow_reason = SlowReason::kStricter,
      .source = "24 Problems on Network Flow, round tables (Luogu P3254).",
      .max_level = 35,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 5;
  static constexpr int kDraws = 300;
  static constexpr int kMaxSide = 400;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int MAX_N_M = 0;
    int M = 0;
    std::vector<std::int64_t> R;
    int N = 0;
    std::vector<std::int64_t> C;
    REDQUEEN_FIELDS(MAX_N_M, M, R, N, C)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config.MAX_N_M, rng); },
        [&](const Problem& problem) {
          return config.MAX_N_M < kStrictFrom || !some_rule_solves<RoundTableAssignment>(problem);
        });
  }

  // A seating is drawn first: each group takes any tables.
  static Problem published(const Config& config, Rng& rng) {
    const int bound = config.MAX_N_M;
    Problem problem{
        .MAX_N_M = bound, .M = static_cast<int>(rng.integer(2, bound)), .R = {}, .N = 0, .C = {}};
    std::vector<std::int64_t> people(static_cast<std::size_t>(bound));
    for (int group = 0; group < problem.M; ++group) {
      problem.R.push_back(rng.integer(2, bound));
      const auto size = static_cast<std::size_t>(problem.R.back());
      for (const std::int64_t table : rng.sample(0, bound - 1, size)) ++people[table];
    }
    std::erase(people, 0);
    problem.C = std::move(people);
    problem.N = static_cast<int>(problem.C.size());
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("MAX_N_M", problem.MAX_N_M, 1, kMaxSide));
    RETURN_IF_ERROR(within("M", problem.M, 1, problem.MAX_N_M));
    RETURN_IF_ERROR(within("N", problem.N, 1, problem.MAX_N_M));
    RETURN_IF_ERROR(check_numbers("R", problem.R, problem.M, 1, problem.N));
    RETURN_IF_ERROR(check_numbers("C", problem.C, problem.N, 1, kMaxSide));
    if (tables_in_order(problem, solve(problem)) < problem.N) {
      return failure("\"C\": the groups cannot be seated");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "There are {0} groups of people, numbered from 0 to {1}; group i has R[i] members:\n"
        "{2}\n"
        "There are {3} tables, numbered from 0 to {4}; table j has C[j] seats:\n"
        "{5}\n"
        "Seat everybody such that no table gets more people than it has seats and no two members "
        "of a group sit at the same table. This can be done; any such seating is right.\n"
        "Answer with {0} lines, one for each group from group 0 on: the numbers of the R[i] "
        "different tables at which its members sit, in any order, separated by spaces.",
        problem.M, problem.M - 1, with_indices("R", problem.R), problem.N, problem.N - 1,
        with_indices("C", problem.C));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.M) return kInvalidReward;
    for (int group = 0; group < problem.M; ++group) {
      if (std::ssize(answer[group]) != problem.R[group] ||
          !are_distinct_indices(problem.N, answer[group])) {
        return kInvalidReward;
      }
    }
    return share_reward(tables_in_order(problem, answer), problem.N, kBeta);
  }

  // Each group takes the tables with the most free seats. If there is a seating, there is one like
  // that: a member can always change to a table with no fewer free seats, if need be in exchange
  // with a member of another group.
  static Answer solve(const Problem& problem) {
    std::vector<std::int64_t> free = problem.C;
    Answer seating;
    std::vector<std::int64_t> tables = ascending_order(problem.N);
    for (const std::int64_t size : problem.R) {
      std::ranges::stable_sort(tables, std::greater(), [&](std::int64_t j) { return free[j]; });
      seating.emplace_back(tables.begin(), tables.begin() + size);
      for (const std::int64_t table : seating.back()) --free[table];
      std::ranges::sort(seating.back());
    }
    return seating;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer seating;
    for (const std::int64_t size : problem.R) {
      seating.push_back(rng.sample(0, problem.N - 1, static_cast<std::size_t>(size)));
    }
    return seating;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto nothing = [](std::int64_t, std::int64_t) { return 0; };
    const auto is_full = [&](std::int64_t table, std::int64_t people) {
      return people >= problem.C[table];
    };
    const auto people_at = [](std::int64_t, std::int64_t people) { return people; };
    return {{"round the tables in turn", in_turn(problem)},
            {"at the first tables", least_first(problem, nothing)},
            {"at the first tables that are not full", least_first(problem, is_full)},
            {"at the tables with the fewest people", least_first(problem, people_at)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // A seating is drawn first. A table comes the earlier in a group's choice the more often it is
  // drawn for.
  static Problem drawn(int bound, Rng& rng) {
    constexpr std::int64_t kMostOften = 4;
    Problem problem{.MAX_N_M = bound, .M = 0, .R = {}, .N = 0, .C = {}};
    problem.M = static_cast<int>(rng.integer(std::max(2, 2 * bound / 3), bound));
    const std::vector<std::int64_t> draws = draw_numbers(bound, 1, kMostOften, rng);
    std::vector<std::int64_t> people(static_cast<std::size_t>(bound));
    std::vector<std::pair<std::uint64_t, int>> keys;
    for (int group = 0; group < problem.M; ++group) {
      problem.R.push_back(rng.integer(2, bound));
      keys.clear();
      for (int table = 0; table < bound; ++table) {
        std::uint64_t key = 0;
        for (std::int64_t draw = 0; draw < draws[table]; ++draw) key = std::max(key, rng.bits());
        keys.emplace_back(key, table);
      }
      std::ranges::nth_element(keys, keys.begin() + problem.R.back() - 1, std::greater());
      for (std::int64_t i = 0; i < problem.R.back(); ++i) ++people[keys[i].second];
    }
    for (const std::int64_t count : people) {
      if (count > 0) problem.C.push_back(count);
    }
    problem.N = static_cast<int>(problem.C.size());
    return problem;
  }

  static std::int64_t tables_in_order(const Problem& problem, const Answer& seating) {
    std::vector<std::int64_t> free = problem.C;
    for (const auto& tables : seating) {
      for (const std::int64_t table : tables) --free[table];
    }
    return std::ranges::count_if(free, [](std::int64_t seats) { return seats >= 0; });
  }

  static Answer in_turn(const Problem& problem) {
    Answer seating;
    std::int64_t next = 0;
    for (const std::int64_t size : problem.R) {
      auto& tables = seating.emplace_back();
      for (std::int64_t i = 0; i < size; ++i) tables.push_back(next++ % problem.N);
    }
    return seating;
  }

  // Each group takes the tables with the least value(table, people at it), of these the first.
  template <typename Value>
  static Answer least_first(const Problem& problem, Value value) {
    std::vector<std::int64_t> people(problem.C.size());
    Answer seating;
    for (const std::int64_t size : problem.R) {
      std::vector<std::int64_t> tables = ascending_order(problem.N);
      std::ranges::stable_sort(tables, {}, [&](std::int64_t j) { return value(j, people[j]); });
      tables.resize(size);
      for (const std::int64_t table : tables) ++people[table];
      seating.push_back(std::move(tables));
    }
    return seating;
  }
};
REDQUEEN_ENVIRONMENT(RoundTableAssignment);

}  // namespace
}  // namespace redqueen
