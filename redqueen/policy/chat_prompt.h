// Prompt formats that leave the layout of the conversation to the policy.
#pragma once

#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/policy/policy.h"

namespace redqueen {

// Parses a format as PromptFormat::parse() does, and knows more:
//   chat          `boxed` as the user's message, laid out by the policy's own chat template
//   chat:answer   `plain` as the user's message: the answer between <answer> tags
//   chat:bare     `bare` as the user's message: no word on marking an answer
//   chat:statement  the same, but the answer is read from \boxed{}, as RLVE asks its chat models
//   …:nothink     any of them, for models that can be told not to think: chat:nothink,
//                 chat:answer:nothink, chat:bare:nothink
// `system` is a system message before the user's; empty: none but the template's own. Other formats
// take none, nor does an endpoint.
// The text of the result is a template that PromptFormat::parse() takes, too. Fails if the policy
// has no template, or its template does not put the message into the conversation once, word for
// word.
Expected<PromptFormat> prompt_format_for(const Policy& policy, std::string_view text,
                                         std::string_view system = {});

}  // namespace redqueen
