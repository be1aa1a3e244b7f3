#include "redqueen/policy/policy.h"

#include <utility>

#include "redqueen/core/tool_calls.h"

namespace redqueen {

Action read_action(const Completion& completion, std::span<const ToolSpec> tools) {
  if (!completion.tool_calls.empty()) return {completion.text, completion.tool_calls};
  return parse_action(completion.text, tools);
}

Status Policy::sample_each(std::span<const SampleRequest> requests,
                           const SampleParameters& parameters, const GroupListener& listener) {
  ASSIGN_OR_RETURN(auto groups, sample(requests, parameters));
  for (std::size_t i = 0; i < groups.size(); ++i) listener(i, std::move(groups[i]));
  return {};
}

Expected<std::vector<CompletionGroup>> Policy::collect_each(std::span<const SampleRequest> requests,
                                                            const SampleParameters& parameters) {
  std::vector<CompletionGroup> groups(requests.size());
  RETURN_IF_ERROR(sample_each(requests, parameters, [&](std::size_t i, CompletionGroup group) {
    groups[i] = std::move(group);
  }));
  return groups;
}

Expected<ChatLayout> Policy::chat_layout(std::span<const ToolSpec> /*tools*/,
                                         bool /*thinking*/) const {
  return usage_error(
      "{} has no chat template, which conversations and the prompt formats chat and chat:nothink "
      "need; use another format, like boxed or chatml",
      name());
}

}  // namespace redqueen
