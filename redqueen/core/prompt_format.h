// Prompt formats turn the statement of a problem into a prompt, say how to mark the answer, and fix
// how it is read.
#pragma once

#include <string>
#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/core/answer.h"

namespace redqueen {

// clang-format off
// A template is text with {problem} in it. Named ones:
//   plain   the statement and a sentence on marking the answer; a user message for any chat
//           template
//   boxed   the same with \boxed{}
//   chatml  `boxed` as the user's turn of a ChatML conversation
//   think   a conversation for base models: reasoning between <think> tags, the answer between
//           <answer> tags
//   terse   the statement and an opening for the answer; for small policies
//   bare    the statement alone
// clang-format on
struct PromptFormat {
  std::string text = "{problem}";
  MarkerStyle marker = MarkerStyle::kAnswerTag;
  AnswerReading reading = AnswerReading::kStrict;  // no prompt tells

  bool operator==(const PromptFormat&) const = default;

  // The prompt of a problem's statement.
  std::string render(std::string_view statement) const;

  // `text` is the name of a format above, or a template of the user's own, which must hold
  // {problem}.
  static Expected<PromptFormat> parse(std::string_view text);
};

}  // namespace redqueen
