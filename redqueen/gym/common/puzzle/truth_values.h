// The base of puzzles about truth values: variables x[0] to x[n - 1], whose values are 0 and 1, and
// clauses, lists of literals one of which has to be true.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {

using Literal = std::pair<int, bool>;  // variable, whether it stands without negation
using TruthValues = std::vector<std::int64_t>;

// True if `values` are 0 or 1, one for each of n variables.
inline bool are_truth_values(const TruthValues& values, int n) {
  return std::ssize(values) == n &&
         std::ranges::all_of(values, [](std::int64_t value) { return value == 0 || value == 1; });
}

inline TruthValues random_truth_values(int n, Rng& rng) {
  TruthValues values(static_cast<std::size_t>(n));
  for (std::int64_t& value : values) value = rng.integer(0, 1);
  return values;
}

inline bool is_true(const Literal& literal, const TruthValues& values) {
  return (values[literal.first] == 1) == literal.second;
}

template <typename Clause>
bool is_true_clause(const Clause& clause, const TruthValues& values) {
  return std::ranges::any_of(clause,
                             [&](const Literal& literal) { return is_true(literal, values); });
}

template <typename Clause>
std::int64_t count_true(const std::vector<Clause>& clauses, const TruthValues& values) {
  return std::ranges::count_if(
      clauses, [&](const Clause& clause) { return is_true_clause(clause, values); });
}

// -1 if these are not values of n variables, else (true clauses / clauses)^10.
template <typename Clause>
double truth_values_reward(const TruthValues& values, int n, const std::vector<Clause>& clauses) {
  if (!are_truth_values(values, n)) return kMalformedReward;
  return share_reward(count_true(clauses, values), std::ssize(clauses));
}

// Values that need no thought. The last list gives each variable the sign that it has in more of
// the clauses.
template <typename Clause>
std::vector<SimpleRule<TruthValues>> truth_value_rules(int n, const std::vector<Clause>& clauses) {
  std::vector<int> balance(static_cast<std::size_t>(n));
  for (const Clause& clause : clauses) {
    for (const auto& [variable, positive] : clause) balance[variable] += positive ? 1 : -1;
  }
  const auto values = [&](auto of_variable) {
    TruthValues list(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) list[i] = of_variable(i);
    return list;
  };
  return {{"all 0", values([](int) { return 0; })},
          {"all 1", values([](int) { return 1; })},
          {"0 1 0 1 ...", values([](int i) { return i % 2; })},
          {"1 0 1 0 ...", values([](int i) { return 1 - i % 2; })},
          {"the more frequent sign", values([&](int i) { return balance[i] > 0 ? 1 : 0; })}};
}

// The statement.
template <typename Clause>
std::string ask_for_truth_values(int n, const std::vector<Clause>& clauses) {
  std::string lines;
  for (const Clause& clause : clauses) {
    bool first = true;
    for (const auto& [variable, positive] : clause) {
      if (!std::exchange(first, false)) lines += " | ";
      lines += positive ? "x[" : "!x[";
      const fmt::format_int digits(variable);
      lines.append(digits.data(), digits.size());
      lines += ']';
    }
    lines += '\n';
  }
  return fmt::format(
      "x[0] to x[{}] are variables with values 0 (false) and 1 (true); ! means not and | means "
      "or. Find values such that all of these {} clauses, one per line, are true:\n"
      "{}At least one solution exists; any will do.\n"
      "Answer with the {} values of x[0] to x[{}] in this order, each 0 or 1, separated by "
      "spaces.",
      n - 1, clauses.size(), lines, n, n - 1);
}

}  // namespace redqueen
