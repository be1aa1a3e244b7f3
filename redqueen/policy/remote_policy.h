// A policy behind a chat endpoint. It is sampled from like any other, but gives no
// log-probabilities, so that it cannot be trained here.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "redqueen/policy/chat_endpoint.h"
#include "redqueen/policy/policy.h"

namespace redqueen {

// Sends one request a response: the conversation, or the prompt as the user's message. The endpoint
// applies its model's chat template: use a prompt format without one (plain, boxed, chat). It knows
// no tokens, so a request that continues some fails.
class RemotePolicy final : public Policy {
 public:
  // Once `stop` is set, if it is given, what is under way ends: the responses that are missing
  // fail. It outlives the policy.
  explicit RemotePolicy(ChatEndpoint endpoint, const std::atomic<bool>* stop = nullptr);

  // Fails only if the endpoint's use cannot be recorded (EndpointOptions::usage_file).
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    return collect_each(requests, parameters);
  }
  Status sample_each(std::span<const SampleRequest> requests, const SampleParameters& parameters,
                     const GroupListener& listener) override;

  bool lays_out_messages() const override { return true; }
  std::string_view name() const override { return endpoint_.options().model; }
  std::optional<EndpointUsage> usage() const override { return endpoint_.usage(); }
  std::string spent_budget() const override { return endpoint_.spent_budget(); }

 private:
  ChatEndpoint endpoint_;
  const std::atomic<bool>* stop_;
};

// The environment variable that holds the endpoint's key.
inline constexpr const char* kApiKeyVariable = "OPENAI_API_KEY";

}  // namespace redqueen
