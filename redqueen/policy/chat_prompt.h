// Prompt formats that leave the layout of the conversation to the policy.
#pragma once

#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/policy/policy.h"

namespace redqueen {

// Parses a format as PromptFormat::parse() does, and knows three formats more:
//   chat          `boxed` as the user's message, laid out by the policy's own chat template
//   chat:nothink  the same, for models that can be told not to think
//   chat:bare     `bare` as the user's message, likewise: no word on marking an answer
// The text of the result is a template that PromptFormat::parse() takes, too. Fails if the policy
// has no template, or its template does not put the message into the conversation once, word for
// word.
Expected<PromptFormat> prompt_format_for(const Policy& policy, std::string_view text);

}  // namespace redqueen
