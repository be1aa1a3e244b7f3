// One policy in several processes with the same weights: each samples a part of the responses.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include "redqueen/policy/policy.h"
#include "redqueen/session/distributed/workers.h"

namespace redqueen {

// How long responses become, learnt from those that came.
class ResponseLengths {
 public:
  // Tokens of a response to a request of this kind: the mean of the last ones, or `longest` if
  // there were none.
  double expected(const std::string& kind, int longest) const;
  void note(const std::string& kind, std::span<const Completion> responses);

 private:
  struct Sum {
    double tokens = 0;
    double responses = 0;
  };
  std::map<std::string, Sum> sums_;  // by kind; what came before counts less with every note()
};

// What the responses to a request are expected to take, in tokens through the network: its prompt
// once, and every response as long as `lengths` expects. Texts count a token for four bytes.
std::size_t expected_work(const SampleRequest& request, const SampleParameters& parameters,
                          const ResponseLengths& lengths);

// In rank 0. Requests are dealt out so that all ranks have about the same to do (train/batching.h);
// responses come back in the order of the requests. As every response has its own address of
// randomness, they are those of `own` alone, up to rounding (see generation.h).
class DistributedPolicy final : public Policy {
 public:
  // The policy of the learner of this role; `own` and `workers` outlive it.
  DistributedPolicy(std::string role, Policy& own, Workers& workers)
      : role_(std::move(role)), own_(own), workers_(workers) {}

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override;
  Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools, bool thinking) const override {
    return own_.chat_layout(tools, thinking);
  }
  std::string_view name() const override { return own_.name(); }

 private:
  std::string role_;
  Policy& own_;
  Workers& workers_;
  ResponseLengths lengths_;
};

}  // namespace redqueen
