#include "redqueen/policy/chat_prompt.h"

namespace redqueen {

Expected<PromptFormat> prompt_format_for(const Policy& policy, std::string_view text) {
  const bool quick = text == "chat:nothink";
  const bool bare = text == "chat:bare";
  if (text != "chat" && !quick && !bare) return PromptFormat::parse(text);
  auto format = PromptFormat::parse(bare ? "bare" : "boxed");
  if (!format) return format;
  auto whole = policy.chat_prompt(format->text, !quick);
  if (!whole) return tl::make_unexpected(whole.error());
  const std::size_t found = whole->find(format->text);
  if (found == std::string::npos || whole->find(format->text, found + 1) != std::string::npos) {
    return failure(
        "the chat template of {} does not put the user's message into the conversation once, word "
        "for word; use another prompt format, like boxed or chatml",
        policy.name());
  }
  format->text = std::move(*whole);
  return format;
}

}  // namespace redqueen
