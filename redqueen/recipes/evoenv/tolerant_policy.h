// A policy whose failed requests cost no more than themselves, and which remembers what it has used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/policy/policy.h"
#include "redqueen/policy/remote_policy.h"

namespace redqueen {

// Around any policy. Behind an endpoint, a response that could not be had comes back empty, and lost() knows its
// address; other policies behave as they are.
class TolerantPolicy final : public Policy {
 public:
  // `inner` outlives this. What an endpoint was used for is kept in `usage_file`, so that budgets outlive a process:
  // read here if it is there, written after every batch. Fails for a file that cannot be read.
  static Expected<TolerantPolicy> make(Policy& inner, std::filesystem::path usage_file);

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override;
  Expected<std::string> chat_prompt(std::string_view message, bool thinking) const override {
    return inner_->chat_prompt(message, thinking);
  }
  bool fits(std::string_view prompt) const override { return inner_->fits(prompt); }
  std::string_view name() const override { return inner_->name(); }

  // What was lost since the last forget_lost().
  bool lost(const RandomAddress& address) const;
  std::size_t lost_count() const { return lost_.size(); }
  const std::string& first_reason() const { return first_reason_; }
  void forget_lost();

  // Nothing for a policy without an endpoint.
  const EndpointUsage* usage() const;
  // What has been used up, in words; empty: there is room, or no budget.
  std::string spent() const;

 private:
  TolerantPolicy(Policy& inner, std::filesystem::path usage_file);
  Status read_usage();
  Status write_usage() const;

  Policy* inner_;
  RemotePolicy* remote_;  // inner_, if it is one
  std::filesystem::path usage_file_;
  std::vector<RandomAddress> lost_;
  std::string first_reason_;
};

}  // namespace redqueen
