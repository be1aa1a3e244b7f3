#include "redqueen/policy/remote_policy.h"

namespace redqueen {

RemotePolicy::RemotePolicy(ChatEndpoint endpoint) : endpoint_(std::move(endpoint)) {}

Expected<std::vector<CompletionGroup>> RemotePolicy::sample(std::span<const SampleRequest> requests,
                                                            const SampleParameters& parameters) {
  std::vector<ChatRequest> asked;
  for (const SampleRequest& request : requests) {
    if (!request.prompt_tokens.empty()) {
      return usage_error("{} is behind an endpoint: it continues messages, not tokens", name());
    }
    for (const RandomAddress& address : request.addresses) {
      ChatRequest& one = asked.emplace_back();
      one.messages = request.messages;
      if (one.messages.empty()) one.messages = {{.role = "user", .content = request.prompt}};
      one.tools = request.tools;
      one.parameters = parameters;
      one.seed = Rng(address).bits();
    }
  }
  auto replies = endpoint_.complete(asked);
  RETURN_IF_ERROR(endpoint_.record_usage());
  std::vector<CompletionGroup> groups;
  auto reply = replies.begin();
  for (const SampleRequest& request : requests) {
    CompletionGroup& group = groups.emplace_back();
    for (std::size_t i = 0; i < request.addresses.size(); ++i, ++reply) {
      Completion& completion = group.completions.emplace_back();
      if (*reply) {
        completion.text = std::move((*reply)->text);
        completion.finish = (*reply)->finish;
        completion.tool_calls = std::move((*reply)->tool_calls);
      } else {
        completion.finish = FinishReason::kFailed;
        completion.failure = std::move(reply->error().message);
      }
    }
  }
  return groups;
}

}  // namespace redqueen
