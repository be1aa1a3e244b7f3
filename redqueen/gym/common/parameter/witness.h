// Answers that a parameter carries along as text, where several answers are right.
#pragma once

#include <optional>
#include <string_view>

#include "redqueen/core/contract.h"

namespace redqueen {

// An error that names the key unless the stored text is an answer that solves the problem. What the
// score relies on must have been checked before.
template <typename E>
Status check_witness(std::string_view key, std::string_view text,
                     const typename E::Problem& problem) {
  std::optional<typename E::Answer> answer;
  if constexpr (ParsesAlone<E>) {
    answer = E::parse(text);
  } else {
    answer = parse_answer<typename E::Answer>(text);
  }
  if (answer && E::score(problem, *answer) >= kSolvedReward) return {};
  return failure("\"{}\": it does not solve this problem", key);
}

}  // namespace redqueen
