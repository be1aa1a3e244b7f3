#include <algorithm>
#include <array>
#include <unordered_set>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/puzzle/truth_values.h"

namespace redqueen {
namespace {

struct TwoSAT {
  static constexpr Card card{
      .name = "TwoSAT",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Choose truth values of variables such that every clause of two literals is true.",
      .levels =
          "There are 3 variables; their number grows by a tenth and one each level. Beyond level "
          "50 "
          "it only gets longer.",
      .rewards =
          "-1 malformed or not a 0 or 1 for every variable, else (true clauses / clauses)^10.",
      .differences =
          "Of the published numbers of clauses those of 1.5 N to 4 N are drawn that leave the "
          "clauses different. Most clauses have one true literal in the hidden solution, so that "
          "true literals are hardly more frequent. From 4 variables on, a problem is drawn again "
          "that equal or alternating values solve, or the more frequent signs.",
      .slow_reason = SlowReason::kStricter,
      .source = "M. Krom, The decision problem for a class of first-order formulas, 1967",
      .max_level = 50,
  };

  static constexpr int kRulesFrom = 4;
  static constexpr int kDraws = 200;
  static constexpr double kBothTrue = 0.1;
  static constexpr int kMaxVariables = 2000;
  static constexpr int kMaxClauses = 20'000;

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  using Clause = std::array<Literal, 2>;
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<Clause> clauses;
    REDQUEEN_FIELDS(N, M, clauses)
  };
  using Answer = TruthValues;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    const int most = std::min(40, 10 * (n - 1));  // tenths of N: two clauses for each pair
    const double multiple = static_cast<double>(rng.integer(15, most)) / 10.0;
    return {.N = n, .M = static_cast<int>(multiple * n)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [&](const Problem& problem) {
          return config.N < kRulesFrom || !some_rule_solves<TwoSAT>(problem);
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    const double multiple = static_cast<double>(rng.integer(10, 50)) / 10.0;
    return {.N = n, .M = static_cast<int>(multiple * n)};
  }

  // Two different variables with random signs, until the hidden values make the clause true.
  // Clauses may be equal.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = config.M};
    const Answer planted = random_truth_values(config.N, rng);
    problem.clauses.reserve(config.M);
    while (std::ssize(problem.clauses) < config.M) {
      const auto a = static_cast<int>(rng.below(config.N));
      const auto b = static_cast<int>(rng.below(config.N));
      const bool sign_a = rng.chance(0.5);
      const bool sign_b = rng.chance(0.5);
      const Clause clause{Literal(a, sign_a), Literal(b, sign_b)};
      if (a != b && is_true_clause(clause, planted)) problem.clauses.push_back(clause);
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxVariables));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxClauses));
    if (std::ssize(problem.clauses) != problem.M) {
      return failure("\"clauses\": expected \"M\" = {} of them", problem.M);
    }
    for (const auto& [a, b] : problem.clauses) {
      for (const int variable : {a.first, b.first}) {
        RETURN_IF_ERROR(within("clauses", variable, 0, problem.N - 1));
      }
      if (a.first == b.first) {
        return failure("\"clauses\": variable {} occurs twice in one of them", a.first);
      }
    }
    if (!solution(problem)) return failure("\"clauses\": no values make all of them true");
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return ask_for_truth_values(problem.N, problem.clauses);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return truth_values_reward(answer, problem.N, problem.clauses);
  }

  static Answer solve(const Problem& problem) { return *solution(problem); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_truth_values(problem.N, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    auto rules = truth_value_rules(problem.N, problem.clauses);
    rules.push_back({"one variable after another, the sign in more clauses not yet true",
                     one_after_another(problem)});
    return rules;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Of a literal among those of all variables.
  static std::int64_t place(const Literal& literal) {
    return 2 * static_cast<std::int64_t>(literal.first) + (literal.second ? 1 : 0);
  }

  static Problem draw(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = config.M};
    const Answer planted = random_truth_values(config.N, rng);
    problem.clauses.reserve(config.M);
    std::unordered_set<std::int64_t> seen;
    while (std::ssize(problem.clauses) < config.M) {
      const int a = static_cast<int>(rng.below(config.N));
      const int b = static_cast<int>(rng.below(config.N));
      if (a == b) continue;
      const bool both = rng.chance(kBothTrue);
      const Clause clause{Literal(a, planted[a] == 1), Literal(b, (planted[b] == 1) == both)};
      const auto [low, high] = std::minmax({place(clause[0]), place(clause[1])});
      if (seen.insert(low * 2 * config.N + high).second) problem.clauses.push_back(clause);
    }
    for (Clause& clause : problem.clauses) {
      if (rng.chance(0.5)) std::swap(clause[0], clause[1]);
    }
    return problem;
  }

  // Any value that contradicts nothing by unit propagation is right: no clause is left half
  // decided. nullopt: both values of a variable contradict. O(N M).
  static std::optional<Answer> solution(const Problem& problem) {
    std::vector<std::vector<Literal>> implied(2 * problem.N);  // by a literal
    for (const auto& [a, b] : problem.clauses) {
      implied[place({a.first, !a.second})].push_back(b);
      implied[place({b.first, !b.second})].push_back(a);
    }
    constexpr std::int64_t kUnset = -1;
    Answer values(problem.N, kUnset);
    std::vector<Literal> chain;
    const auto contradicts = [&](const Literal& start) {
      chain = {start};
      values[start.first] = start.second;
      for (std::size_t i = 0; i < chain.size(); ++i) {
        for (const Literal& next : implied[place(chain[i])]) {
          if (values[next.first] == kUnset) {
            values[next.first] = next.second;
            chain.push_back(next);
          } else if (values[next.first] != static_cast<std::int64_t>(next.second)) {
            for (const auto& [variable, value] : chain) values[variable] = kUnset;
            return true;
          }
        }
      }
      return false;
    };
    for (int variable = 0; variable < problem.N; ++variable) {
      if (values[variable] != kUnset) continue;
      if (contradicts({variable, true}) && contradicts({variable, false})) return std::nullopt;
    }
    return values;
  }

  static Answer one_after_another(const Problem& problem) {
    Answer values(problem.N);
    std::vector<char> is_true(problem.clauses.size());
    for (int variable = 0; variable < problem.N; ++variable) {
      int balance = 0;
      for (std::size_t i = 0; i < is_true.size(); ++i) {
        for (const auto& [other, positive] : problem.clauses[i]) {
          if (other == variable && is_true[i] == 0) balance += positive ? 1 : -1;
        }
      }
      values[variable] = balance > 0 ? 1 : 0;
      for (std::size_t i = 0; i < is_true.size(); ++i) {
        for (const Literal& literal : problem.clauses[i]) {
          if (literal == Literal(variable, balance > 0)) is_true[i] = 1;
        }
      }
    }
    return values;
  }
};
REDQUEEN_ENVIRONMENT(TwoSAT);

}  // namespace
}  // namespace redqueen
