#include "redqueen/policy/chat_prompt.h"

namespace redqueen {

Expected<PromptFormat> prompt_format_for(const Policy& policy, std::string_view text) {
  const bool quick = text == "chat:nothink";
  const bool bare = text == "chat:bare";
  if (text != "chat" && !quick && !bare) return PromptFormat::parse(text);
  auto format = PromptFormat::parse(bare ? "bare" : "boxed");
  if (!format) return format;
  if (policy.lays_out_messages()) {
    if (!quick) return format;
    return usage_error(
        "{} is behind an endpoint, which lays out the conversation: use the prompt format chat, "
        "and tell the engine not to think by endpoint.extra_body, if it can be told",
        policy.name());
  }
  ASSIGN_OR_RETURN(const ChatLayout layout, policy.chat_layout({}, !quick));
  const Message message{.role = "user", .content = format->text};
  ASSIGN_OR_RETURN(std::string whole, layout.opening({&message, 1}));
  const std::size_t found = whole.find(format->text);
  if (found == std::string::npos || whole.find(format->text, found + 1) != std::string::npos) {
    return failure(
        "the chat template of {} does not put the user's message into the conversation once, word "
        "for word; use another prompt format, like boxed or chatml",
        policy.name());
  }
  format->text = std::move(whole);
  return format;
}

}  // namespace redqueen
