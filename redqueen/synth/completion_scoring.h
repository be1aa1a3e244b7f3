// Verdicts on many completions at once, whatever their environments are written in.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "redqueen/core/environment.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen {

struct ScoredText {
  const Problem* problem = nullptr;
  std::string_view completion;
};

// In the order of the texts. The answer is extracted first; without one a completion is malformed.
std::vector<Verdict> score_completions(Sandbox& sandbox, std::span<const ScoredText> texts,
                                       const PromptFormat& format,
                                       std::size_t max_bytes = kDefaultMaxResponseBytes);

}  // namespace redqueen
