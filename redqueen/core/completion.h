// Completions and responses. A completion is the text that a policy wrote after a prompt; a
// response is the text that the verifier reads. They differ where the prompt itself begins the
// response.
#pragma once

#include <fmt/format.h>

#include <optional>
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

// The text of the answer that a response marks, in the part that `format` has looked at; nullopt:
// none, or more than `max_bytes` of response, which counts as a verdict that was cut short.
std::optional<std::string_view> find_answer(std::string_view response, const PromptFormat& format,
                                            std::size_t max_bytes = kDefaultMaxResponseBytes);

// The completion that gives `answer` in this format. Supervised training teaches it.
inline std::string completion_for(std::string_view answer, const PromptFormat& format) {
  if (format.text.ends_with(kAnswerOpening)) return fmt::format("{}</answer>", answer);
  if (format.marker == MarkerStyle::kBoxed) return fmt::format("\\boxed{{{}}}", answer);
  return fmt::format("<answer>{}</answer>", answer);
}

}  // namespace redqueen
