#include "redqueen/policy/chat_prompt.h"

namespace redqueen {

namespace {

// The named format that stands in the user's message of a chat format; empty: `text` is none.
std::string_view message_format(std::string_view text) {
  if (text == "chat") return "boxed";
  if (text == "chat:answer") return "plain";
  if (text == "chat:bare") return "bare";
  if (text == "chat:statement") return "statement";
  return {};
}

}  // namespace

Expected<PromptFormat> prompt_format_for(const Policy& policy, std::string_view text,
                                         std::string_view system) {
  constexpr std::string_view kQuick = ":nothink";
  const bool quick = text.ends_with(kQuick);
  const std::string_view inner =
      message_format(quick ? text.substr(0, text.size() - kQuick.size()) : text);
  if (!system.empty() && (inner.empty() || policy.lays_out_messages())) {
    return usage_error(
        "policy.system_prompt: only a chat format of a policy in a folder has a place for it; the "
        "prompt format is {}",
        inner.empty() ? "none of these" : text);
  }
  if (inner.empty()) return PromptFormat::parse(text);
  auto format = PromptFormat::parse(inner);
  if (!format) return format;
  if (policy.lays_out_messages()) {
    if (!quick) return format;
    return usage_error(
        "{} is behind an endpoint, which lays out the conversation: use the prompt format chat, "
        "and tell the engine not to think by endpoint.extra_body, if it can be told",
        policy.name());
  }
  ASSIGN_OR_RETURN(const ChatLayout layout, policy.chat_layout({}, !quick));
  std::vector<Message> messages;
  if (!system.empty()) messages.push_back({.role = "system", .content = std::string(system)});
  const std::string message = format->render("{problem}");  // without the mark of its reading
  messages.push_back({.role = "user", .content = message});
  ASSIGN_OR_RETURN(std::string whole, layout.opening(messages));
  if (whole.find(system) == std::string::npos) {
    return failure(
        "policy.system_prompt: the chat template of {} does not put a system message into the "
        "conversation",
        policy.name());
  }
  const std::size_t found = whole.find(message);
  if (found == std::string::npos || whole.find(message, found + 1) != std::string::npos) {
    return failure(
        "the chat template of {} does not put the user's message into the conversation once, word "
        "for word; use another prompt format, like boxed or chatml",
        policy.name());
  }
  format->text.replace(format->text.find(message), message.size(), whole);
  return format;
}

}  // namespace redqueen
