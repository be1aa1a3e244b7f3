#include "redqueen/core/tool.h"

#include "redqueen/base/text.h"

namespace redqueen {

Message tool_message(const ToolCall& call, std::string content) {
  return {.role = "tool", .content = std::move(content), .tool_call_id = call.id};
}

Message unknown_tool_message(const ToolCall& call, std::span<const ToolSpec> tools) {
  // Names come from the policy and may be of any length.
  constexpr std::size_t kShown = 80;
  const std::string_view name = std::string_view(call.name).substr(0, kShown);
  std::vector<std::string_view> names;
  for (const ToolSpec& tool : tools) names.push_back(tool.name);
  return tool_message(call, fmt::format("error: there is no tool \"{}\"{}; the tools are: {}", name,
                                        did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace redqueen
