// A policy behind a chat endpoint: sampled from like any other, but without log-probabilities, so not trained here.
#pragma once

#include <memory>
#include <string>

#include "redqueen/policy/chat_endpoint.h"
#include "redqueen/policy/policy.h"

namespace redqueen {

// Every response is a request of its own, with the prompt as the user's message. The endpoint applies its model's chat
// template: use a prompt format without one (plain, boxed, chat).
class RemotePolicy final : public Policy {
 public:
  explicit RemotePolicy(ChatEndpoint endpoint);

  // Fails when any response could not be had; the message counts them and gives the first reason.
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override;
  // The replies by themselves: one for each rollout of each request, in order, each of its own fate.
  std::vector<Expected<ChatReply>> ask(std::span<const SampleRequest> requests,
                                       const SampleParameters& parameters);

  // The message by itself. Fails without thinking: whether its model thinks is the endpoint's to decide.
  Expected<std::string> chat_prompt(std::string_view message, bool thinking) const override;

  std::string_view name() const override { return endpoint_.options().model; }

  ChatEndpoint& endpoint() { return endpoint_; }

 private:
  ChatEndpoint endpoint_;
};

// The environment variable that holds the endpoint's key.
inline constexpr const char* kApiKeyVariable = "OPENAI_API_KEY";

}  // namespace redqueen
