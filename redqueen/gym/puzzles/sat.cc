#include <algorithm>
#include <array>
#include <cmath>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/puzzle/truth_values.h"

namespace redqueen {
namespace {

struct SAT {
  static constexpr Card card{
      .name = "SAT",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Choose truth values of variables such that every clause has a true literal.",
      .levels =
          "From 3 variables, one more a level, with 3 to 5 clauses for each; the clauses stay "
          "short.",
      .rewards =
          "-1 malformed or not a 0 or 1 for every variable, else (true clauses / clauses)^10.",
      .differences =
          "Of the published densities that one is drawn that gives about 3 literals a clause, "
          "and of the numbers of clauses those of 3 N and more, because long and few clauses are "
          "true of nearly any values. From five variables on, signs are drawn such that no "
          "literal is more often true than false in the hidden solution. Problems that equal, "
          "alternating or majority values solve are drawn again, and so are those that fall to "
          "weighing short clauses more or to majority values with unit propagation.",
      .slow_reason = SlowReason::kStricter,
      .source = "Cook, The complexity of theorem-proving procedures, 1971",
      .version = 2,
  };

  static constexpr std::array kDensities{0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5};
  static constexpr double kOccurrences =
      2.0;  // expected variables of a clause, before those of 0 or 1 are left out
  static constexpr int kHiddenFrom = 5;  // with fewer variables a few solutions would be frequent
  static constexpr int kMaxVariables = 100'000;
  static constexpr std::size_t kKeptLengths = 24;  // of clauses, longer ones are rare

  struct Config {
    int N = 0;
    int M = 0;
    double density = 0;
    REDQUEEN_FIELDS(N, M, density)
  };
  using Clause = std::vector<Literal>;
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<Clause> clauses;
    std::string reference_answer;  // values, planted
    REDQUEEN_FIELDS(N, M, clauses, reference_answer)
  };
  using Answer = TruthValues;

  static Config at_level(int level, Rng& rng) {
    const int n = 3 + level;
    const double density = *std::ranges::min_element(
        kDensities, {}, [n](double d) { return std::abs(d * n - kOccurrences); });
    const double multiple = static_cast<double>(rng.integer(30, 50)) / 10.0;
    return {.N = n, .M = static_cast<int>(multiple * n), .density = density};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const Answer planted = random_truth_values(config.N, rng);
    Problem problem{
        .N = config.N, .M = config.M, .clauses = {}, .reference_answer = format_answer(planted)};
    const std::vector<double> lengths = length_weights(config.N, config.density);
    const bool hidden = config.N >= kHiddenFrom;
    problem.clauses.reserve(config.M);
    for (int i = 0; i < config.M; ++i) {
      const std::size_t length = rng.weighted(lengths);
      const std::size_t true_literals =
          length < kKeptLengths ? rng.weighted(kept_truth_weights(hidden)[length])
                                : rng.weighted(truth_weights(static_cast<int>(length), hidden));
      Clause clause;
      clause.reserve(length);
      for (const std::int64_t variable : rng.sample(0, config.N - 1, length)) {
        const bool is_true = clause.size() < true_literals;
        clause.emplace_back(static_cast<int>(variable), is_true == (planted[variable] == 1));
      }
      std::ranges::sort(clause);
      problem.clauses.push_back(std::move(clause));
    }
    if (!hidden) return problem;
    for (const auto& rule : rules(problem)) {
      if (satisfies(problem, rule.answer)) throw Retry();
    }
    if (satisfies(problem, propagated(problem))) throw Retry();
    return problem;
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 3 + level;
    const double multiple = static_cast<double>(rng.integer(10, 50)) / 10.0;
    return {.N = n, .M = static_cast<int>(multiple * n), .density = rng.choice(kDensities)};
  }

  // Each variable joins a clause with a fixed probability, with a random sign, until the clause has
  // two literals and is true of the hidden values.
  static Problem published(const Config& config, Rng& rng) {
    const Answer planted = random_truth_values(config.N, rng);
    Problem problem{
        .N = config.N, .M = config.M, .clauses = {}, .reference_answer = format_answer(planted)};
    problem.clauses.reserve(config.M);
    Clause clause;
    for (int i = 0; i < config.M; ++i) {
      do {
        clause.clear();
        for (int variable = 0; variable < config.N; ++variable) {
          if (rng.chance(config.density)) clause.emplace_back(variable, rng.chance(0.5));
        }
      } while (clause.size() < 2 || !is_true_clause(clause, planted));
      problem.clauses.push_back(clause);
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.N > kMaxVariables) {
      return failure("\"N\": expected 1 to {} variables", kMaxVariables);
    }
    if (problem.M < 1 || problem.clauses.size() != static_cast<std::size_t>(problem.M)) {
      return failure("\"clauses\": expected \"M\" = {} of them, at least 1", problem.M);
    }
    for (const Clause& clause : problem.clauses) {
      for (const auto& [variable, positive] : clause) {
        if (variable < 0 || variable >= problem.N) {
          return failure("\"clauses\": there is no variable {}", variable);
        }
      }
    }
    const auto planted = parse_int_list(problem.reference_answer);
    if (!planted || score(problem, *planted) != 1.0) {
      return failure("\"reference_answer\" does not make every clause true");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return ask_for_truth_values(problem.N, problem.clauses);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return truth_values_reward(answer, problem.N, problem.clauses);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_truth_values(problem.N, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    auto rules = truth_value_rules(problem.N, problem.clauses);
    rules.push_back({"the sign in shorter clauses", by_short_clauses(problem)});
    return rules;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back(
        {"the more frequent sign, with unit propagation", format_answer(propagated(problem))});
    return named;
  }

 private:
  // A literal of a clause of n counts 2^-n.
  static Answer by_short_clauses(const Problem& problem) {
    std::vector<double> weighed(problem.N);
    for (const Clause& clause : problem.clauses) {
      const double weight =
          std::ldexp(1.0, -static_cast<int>(std::min<std::size_t>(clause.size(), 60)));
      for (const auto& [variable, positive] : clause) {
        weighed[variable] += positive ? weight : -weight;
      }
    }
    Answer values(problem.N);
    for (int i = 0; i < problem.N; ++i) values[i] = weighed[i] > 0 ? 1 : 0;
    return values;
  }

  static bool satisfies(const Problem& problem, const Answer& values) {
    return std::ranges::all_of(
        problem.clauses, [&](const Clause& clause) { return is_true_clause(clause, values); });
  }

  // One variable after another takes its more frequent sign; after each, clauses of which only one
  // literal is left without a value get it true.
  static Answer propagated(const Problem& problem) {
    constexpr std::int64_t kUnset = -1;
    const Answer majority = truth_value_rules(problem.N, problem.clauses).back().answer;
    Answer values(problem.N, kUnset);
    for (int variable = 0; variable < problem.N; ++variable) {
      if (values[variable] != kUnset) continue;
      values[variable] = majority[variable];
      for (bool moved = true; moved;) {
        moved = false;
        for (const Clause& clause : problem.clauses) {
          const Literal* open = nullptr;
          int unset = 0;
          bool satisfied = false;
          for (const auto& literal : clause) {
            if (values[literal.first] == kUnset) {
              ++unset;
              open = &literal;
            } else {
              satisfied = satisfied || is_true(literal, values);
            }
          }
          if (satisfied || unset != 1) continue;
          values[open->first] = open->second ? 1 : 0;
          moved = true;
        }
      }
    }
    return values;
  }

  // Proportional to the chance that a clause has this many literals if each variable joins it with
  // chance `density`, and clauses of fewer than two are drawn again.
  static std::vector<double> length_weights(int n, double density) {
    std::vector<double> weights(n + 1);
    double weight = 1.0;
    for (int length = 0; length <= n; ++length) {
      if (length >= 2) weights[length] = weight;
      weight *= density / (1.0 - density) * (n - length) / (length + 1);
    }
    return weights;
  }

  // Proportional to the chance that this many of the literals of a clause are true in the planted
  // values. If clauses were merely drawn until one is true, true literals would be the more
  // frequent ones and a majority vote would find the values. With weights q^true for each choice of
  // signs, (1 + q)^(length - 1) (1 - q) = 1 removes this bias (Barthel et al., "Hiding solutions in
  // random satisfiability problems", Physical Review Letters 88, 2002, in the form of Jia, Moore
  // and Strain, "Generating hard satisfiable formulas by hiding solutions deceptively", JAIR 28,
  // 2007).
  static std::vector<double> truth_weights(int length, bool hidden) {
    double low = hidden ? 0.0 : 1.0;
    double high = 1.0;
    for (int i = 0; i < 60; ++i) {  // q; the left side first rises from 1, then falls below it
      const double q = (low + high) / 2;
      double product = 1.0 - q;
      for (int j = 1; j < length; ++j) product *= 1.0 + q;
      (product > 1.0 ? low : high) = q;
    }
    std::vector<double> weights(length + 1);
    double weight = length;
    for (int truths = 1; truths <= length; ++truths) {
      weights[truths] = weight;
      weight *= low * (length - truths) / (truths + 1);
    }
    return weights;
  }

  // truth_weights() of short clauses, by length.
  static const std::vector<std::vector<double>>& kept_truth_weights(bool hidden) {
    static const auto kKept = [] {
      std::array<std::vector<std::vector<double>>, 2> kept;
      for (std::size_t h = 0; h < kept.size(); ++h) {
        kept[h].resize(kKeptLengths);
        for (std::size_t length = 1; length < kKeptLengths; ++length) {
          kept[h][length] = truth_weights(static_cast<int>(length), h == 1);
        }
      }
      return kept;
    }();
    return kKept[hidden ? 1 : 0];
  }
};
REDQUEEN_ENVIRONMENT(SAT);

}  // namespace
}  // namespace redqueen
