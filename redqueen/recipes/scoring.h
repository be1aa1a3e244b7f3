// From a completion to a verdict, for every prompt format.
#pragma once

#include <string>
#include <string_view>

#include "redqueen/core/completion.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/prompt_format.h"

namespace redqueen {

inline Verdict score_completion(const Problem& problem, std::string_view completion,
                                const PromptFormat& format,
                                std::size_t max_bytes = kDefaultMaxResponseBytes) {
  return score_response(problem, response_of(completion, format), format.marker, max_bytes);
}

// The completion that gives `answer` in this format: what supervised training teaches.
inline std::string completion_for(std::string_view answer, const PromptFormat& format) {
  if (format.text.ends_with(kAnswerOpening)) return fmt::format("{}</answer>", answer);
  if (format.marker == MarkerStyle::kBoxed) return fmt::format("\\boxed{{{}}}", answer);
  return fmt::format("<answer>{}</answer>", answer);
}

}  // namespace redqueen
