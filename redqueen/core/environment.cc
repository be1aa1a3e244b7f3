#include "redqueen/core/environment.h"

namespace redqueen {

std::string_view to_string(GenerationFault fault) {
  switch (fault) {
    case GenerationFault::kLevel:
      return "level";
    case GenerationFault::kAttempts:
      return "attempts";
    case GenerationFault::kDraws:
      return "draws";
    case GenerationFault::kTime:
      return "time";
    case GenerationFault::kInternal:
      return "internal";
  }
  return "";
}

Verdict score_response(const Problem& problem, std::string_view response, MarkerStyle style,
                       std::size_t max_bytes) {
  const auto answer = extract_answer(response, style, max_bytes);
  return answer ? problem.score(*answer) : Verdict{};
}

}  // namespace redqueen
