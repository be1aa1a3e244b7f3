// Prompt formats turn the statement of a problem into a prompt, say how to mark the answer, and fix
// how it is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "redqueen/base/enum_names.h"
#include "redqueen/base/error.h"
#include "redqueen/core/answer.h"

namespace redqueen {

// The part of a response in which its answer is looked for, where the policy thinks between <think>
// and </think>.
enum class ThoughtReading : std::uint8_t {
  kWhole,   // all of it, thoughts included, as the published environments do
  kClosed,  // what stands behind the last </think>; all of it where there is no thought; nothing
            // where one is not closed
  kBehind,  // what stands behind the last </think>; nothing where there is none
};
inline constexpr auto kThoughtReadingNames =
    enum_names<ThoughtReading>({{"whole", ThoughtReading::kWhole},
                                {"closed", ThoughtReading::kClosed},
                                {"behind", ThoughtReading::kBehind}});

// clang-format off
// A template is text with {problem} in it, "boxed:" before it if \boxed{} is read. Named ones:
//   plain   the statement and a sentence on marking the answer; a user message for any chat
//           template
//   boxed   the same with \boxed{}
//   chatml  `boxed` as the user's turn of a ChatML conversation
//   think   a conversation for base models: reasoning between <think> tags, the answer between
//           <answer> tags
//   terse   the statement and an opening for the answer; for small policies
//   bare    the statement alone; `statement` is the same, but \boxed{} is read, as in RLVE
// clang-format on
struct PromptFormat {
  std::string text = "{problem}";
  MarkerStyle marker = MarkerStyle::kAnswerTag;
  AnswerReading reading = AnswerReading::kStrict;    // no prompt tells
  ThoughtReading thoughts = ThoughtReading::kWhole;  // no prompt tells

  bool operator==(const PromptFormat&) const = default;

  // The prompt of a problem's statement.
  std::string render(std::string_view statement) const;

  // The part of a response that `thoughts` has looked at; nullopt: none. A prompt that ends with
  // <think> begins a thought.
  std::optional<std::string_view> part_of(std::string_view response) const;

  // `text` is the name of a format above, or a template of the user's own, which must hold
  // {problem}.
  static Expected<PromptFormat> parse(std::string_view text);
};

}  // namespace redqueen
