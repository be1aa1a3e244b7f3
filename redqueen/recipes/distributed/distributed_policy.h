// One policy in several processes with the same weights: each samples a part of the responses.
#pragma once

#include "redqueen/policy/policy.h"
#include "redqueen/recipes/distributed/rank_processes.h"

namespace redqueen {

// In rank 0. Request i goes to rank i modulo the number of ranks; responses come back in the order of the requests. As
// every response has its own address of randomness, they are those of `own` alone, up to rounding (see generation.h).
class DistributedPolicy final : public Policy {
 public:
  // Both outlive this policy.
  DistributedPolicy(Policy& own, RankProcesses& ranks) : own_(own), ranks_(ranks) {}

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override;
  Expected<std::string> chat_prompt(std::string_view message, bool thinking) const override {
    return own_.chat_prompt(message, thinking);
  }
  bool fits(std::string_view prompt) const override { return own_.fits(prompt); }
  std::string_view name() const override { return own_.name(); }

 private:
  Policy& own_;
  RankProcesses& ranks_;
};

}  // namespace redqueen
