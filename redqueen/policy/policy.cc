#include "redqueen/policy/policy.h"

#include "redqueen/core/tool_calls.h"

namespace redqueen {

Action read_action(const Completion& completion, std::span<const ToolSpec> tools) {
  if (!completion.tool_calls.empty()) return {completion.text, completion.tool_calls};
  return parse_action(completion.text, tools);
}

Expected<ChatLayout> Policy::chat_layout(std::span<const ToolSpec> /*tools*/,
                                         bool /*thinking*/) const {
  return usage_error(
      "{} has no chat template, which conversations and the prompt formats chat and chat:nothink "
      "need; use another format, like boxed or chatml",
      name());
}

}  // namespace redqueen
