#include "redqueen/policy/remote_policy.h"

namespace redqueen {

RemotePolicy::RemotePolicy(ChatEndpoint endpoint) : endpoint_(std::move(endpoint)) {}

std::vector<Expected<ChatReply>> RemotePolicy::ask(std::span<const SampleRequest> requests,
                                                   const SampleParameters& parameters) {
  std::vector<ChatRequest> asked;
  for (const SampleRequest& request : requests) {
    for (const RandomAddress& rollout : request.rollouts) {
      asked.push_back({.messages = {{"user", request.prompt}},
                       .parameters = parameters,
                       .seed = Rng(rollout).bits()});
    }
  }
  return endpoint_.complete(asked);
}

Expected<std::vector<CompletionGroup>> RemotePolicy::sample(std::span<const SampleRequest> requests,
                                                            const SampleParameters& parameters) {
  auto replies = ask(requests, parameters);
  std::size_t failed = 0;
  std::string reason;
  for (const auto& reply : replies) {
    if (reply) continue;
    if (failed++ == 0) reason = reply.error().message;
  }
  if (failed > 0) return failure("{} of {} responses failed: {}", failed, replies.size(), reason);

  std::vector<CompletionGroup> groups;
  auto next = replies.begin();
  for (const SampleRequest& request : requests) {
    CompletionGroup& group = groups.emplace_back();
    for (std::size_t i = 0; i < request.rollouts.size(); ++i, ++next) {
      group.completions.push_back({std::move((*next)->text), {}, {}, (*next)->finish});
    }
  }
  return groups;
}

Expected<std::string> RemotePolicy::chat_prompt(std::string_view message, bool thinking) const {
  if (!thinking) {
    return usage_error(
        "{} is behind an endpoint, which lays out the conversation: use the prompt format chat, "
        "and tell the "
        "engine not to think by endpoint.extra_body, if it can be told",
        name());
  }
  return std::string(message);
}

}  // namespace redqueen
