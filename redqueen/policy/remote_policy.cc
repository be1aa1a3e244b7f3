#include "redqueen/policy/remote_policy.h"

#include <utility>

#include "redqueen/policy/group_assembler.h"

namespace redqueen {
namespace {

Completion completion_of(Expected<ChatReply>& reply) {
  if (!reply) {
    return {.finish = FinishReason::kFailed, .failure = std::move(reply.error().message)};
  }
  return {.text = std::move(reply->text),
          .finish = reply->finish,
          .tool_calls = std::move(reply->tool_calls)};
}

}  // namespace

RemotePolicy::RemotePolicy(ChatEndpoint endpoint, const std::atomic<bool>* stop)
    : endpoint_(std::move(endpoint)), stop_(stop) {}

Status RemotePolicy::sample_each(std::span<const SampleRequest> requests,
                                 const SampleParameters& parameters,
                                 const GroupListener& listener) {
  for (const SampleRequest& request : requests) {
    if (!request.prompt_tokens.empty()) {
      return usage_error("{} is behind an endpoint: it continues messages, not tokens", name());
    }
  }
  GroupAssembler groups(listener);
  std::vector<ChatRequest> asked;
  std::vector<ResponsePlace> places;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const SampleRequest& request = requests[i];
    for (std::size_t j = 0; j < request.addresses.size(); ++j) {
      ChatRequest& one = asked.emplace_back();
      one.messages = request.messages;
      if (one.messages.empty()) one.messages = {{.role = "user", .content = request.prompt}};
      one.tools = request.tools;
      one.parameters = parameters;
      one.seed = Rng(request.addresses[j]).bits();
      places.push_back({i, j});
    }
    groups.begin(i, request.addresses.size());
  }
  const auto take = [&](std::size_t k, Expected<ChatReply>& reply) {
    groups.put(places[k], completion_of(reply));
  };
  endpoint_.complete(asked, take, stop_);
  return endpoint_.record_usage();
}

}  // namespace redqueen
