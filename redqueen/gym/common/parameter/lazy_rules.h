// Simple rules that are tried one after another, where generation tries them on many draws: what
// the first one solves need not wait for the others.
//
// An environment E gives them as E::try_rules(problem, visit): it calls visit(rule, answer) for
// one rule after another, the cheap ones first, until visit returns true, and returns whether one
// did.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {

// All of them, for the audit.
template <typename E>
std::vector<SimpleRule<typename E::Answer>> all_rules(const typename E::Problem& problem) {
  std::vector<SimpleRule<typename E::Answer>> rules;
  E::try_rules(problem, [&](std::string_view rule, typename E::Answer answer) {
    rules.push_back({rule, std::move(answer)});
    return false;
  });
  return rules;
}

// True if is_best(answer) holds of one of them. Where answers are valid by their making, comparing
// their value with the best one is cheaper than scoring them.
template <typename E, typename IsBest>
bool some_rule_is_best(const typename E::Problem& problem, IsBest is_best) {
  return E::try_rules(
      problem, [&](std::string_view, const typename E::Answer& answer) { return is_best(answer); });
}

}  // namespace redqueen
