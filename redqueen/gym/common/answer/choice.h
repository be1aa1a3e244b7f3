// Answers that are one of a few offered words.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "redqueen/core/answer.h"
#include "redqueen/core/reward.h"
#include "redqueen/core/verdict.h"

namespace redqueen {

// Any text is an answer: one that is not among the words is scored as invalid, not as malformed.
inline std::string parse_choice(std::string_view text) { return std::string(trim(text)); }

// −0.5 for a word that was not offered, 0 for a wrong one, 1 for `right`. Upper and lower case
// differ.
inline double choice_reward(std::string_view answer, std::string_view right,
                            std::initializer_list<std::string_view> offered) {
  if (std::ranges::find(offered, answer) == offered.end()) return kInvalidReward;
  return exact_reward(answer == right);
}

}  // namespace redqueen
