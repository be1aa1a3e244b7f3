#include "redqueen/policy/missing_responses.h"

namespace redqueen {

void MissingResponses::count(std::span<const CompletionGroup> groups) {
  for (const CompletionGroup& group : groups) {
    for (const Completion& completion : group.completions) {
      ++asked;
      too_long += completion.finish == FinishReason::kPromptTooLong;
      failed += completion.finish == FinishReason::kFailed;
      if (reason.empty()) reason = completion.failure;
    }
  }
}

void MissingResponses::add(const MissingResponses& other) {
  asked += other.asked;
  too_long += other.too_long;
  failed += other.failed;
  if (reason.empty()) reason = other.reason;
}

std::string MissingResponses::sentence() const {
  return missing() == asked
             ? fmt::format("none of {} responses could be had: {}", asked, reason)
             : fmt::format("{} of {} responses could not be had: {}", missing(), asked, reason);
}

}  // namespace redqueen
