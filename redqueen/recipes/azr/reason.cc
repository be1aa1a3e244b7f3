#include "redqueen/recipes/azr/reason.h"

#include <array>

namespace redqueen {

std::string_view name_of(Reason reason) {
  static constexpr std::array<std::string_view, 23> kNames{"valid",
                                                           "no_answer",
                                                           "no_program",
                                                           "no_input",
                                                           "too_few_inputs",
                                                           "no_message",
                                                           "too_long",
                                                           "syntax",
                                                           "not_literal",
                                                           "unused_component",
                                                           "redefined_component",
                                                           "banned",
                                                           "raised",
                                                           "timeout",
                                                           "memory",
                                                           "output_limit",
                                                           "crashed",
                                                           "nothing",
                                                           "not_comparable",
                                                           "not_deterministic",
                                                           "stateful",
                                                           "known",
                                                           "wrong"};
  static_assert(kNames.size() == static_cast<std::size_t>(Reason::kWrong) + 1);
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace redqueen
