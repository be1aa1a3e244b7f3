#include "redqueen/code_tasks/reason.h"

#include <array>

namespace redqueen::code_tasks {

Reason reason_of(const sandbox::Outcome& outcome) {
  switch (outcome.status) {
    case sandbox::OutcomeStatus::kOk:
      return Reason::kValid;
    case sandbox::OutcomeStatus::kError:
      return outcome.exception == "SyntaxError" ? Reason::kSyntax : Reason::kRaised;
    case sandbox::OutcomeStatus::kTimeout:
    case sandbox::OutcomeStatus::kCpu:
      return Reason::kTimeout;
    case sandbox::OutcomeStatus::kMemory:
      return Reason::kMemory;
    case sandbox::OutcomeStatus::kOutputLimit:
      return Reason::kOutputLimit;
    case sandbox::OutcomeStatus::kRefused:
      return Reason::kBanned;
    case sandbox::OutcomeStatus::kCrashed:
      break;
  }
  return Reason::kCrashed;
}

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

}  // namespace redqueen::code_tasks
