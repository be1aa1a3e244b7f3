// From a completion, what a policy wrote after a prompt, to the response that the verifier reads: a prompt may have begun
// it.
#pragma once

#include <string>
#include <string_view>

#include "redqueen/core/prompt_format.h"

namespace redqueen {

// A prompt that ends by opening the answer is continued by the completion.
inline constexpr std::string_view kAnswerOpening = "<answer>";

inline std::string response_of(std::string_view completion, const PromptFormat& format) {
  const bool opened = format.text.ends_with(kAnswerOpening);
  return (opened ? std::string(kAnswerOpening) : std::string()).append(completion);
}

}  // namespace redqueen
