// Stands before the policies of a growing pool. It counts what each role costs, shows how far the
// responses are, keeps to a budget of tokens, and writes responses to a file as they come, so that
// a round which ended early is neither paid for nor waited for twice.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/policy/policy.h"

namespace redqueen {

struct RoleUsage {
  std::int64_t responses = 0;  // that came
  std::int64_t cut = 0;        // of these, at their limit
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  double cost = 0;     // of an endpoint with prices
  double seconds = 0;  // of sampling

  std::int64_t tokens() const { return prompt_tokens + completion_tokens; }
};

// One batch of responses on its way.
struct SamplingState {
  std::string_view role;
  std::int64_t done = 0;
  std::int64_t asked = 0;
  double tokens_per_second = 0;  // of responses; 0: not known yet
};

// The books of all policies of a run. For one thread.
class SamplingLedger {
 public:
  using Listener = std::function<void(const SamplingState&)>;

  // Opens the file of kept responses, which may be missing; what stands in it counts as used. A
  // line that was cut short is left out. `most_tokens`: nothing more is sampled once so many were
  // used; 0: no limit.
  static Expected<SamplingLedger> open(std::filesystem::path file, std::int64_t most_tokens = 0);

  void set_listener(Listener listener) { listener_ = std::move(listener); }
  // Adds what earlier rounds of the run used.
  void add(const std::string& role, const RoleUsage& usage);
  const std::map<std::string, RoleUsage>& roles() const { return roles_; }
  // "5012 of 5000 tokens"; empty: there is room, or no limit.
  std::string spent_budget() const;
  std::int64_t kept() const { return static_cast<std::int64_t>(responses_.size()); }

  // Empties the file: the round of these responses is stored.
  Status forget_responses();

 private:
  friend class MeteredPolicy;
  struct Kept {
    std::string text;
    FinishReason finish = FinishReason::kStop;
  };

  SamplingLedger() = default;
  Status keep(const std::string& key, std::string_view role, const Completion& completion,
              const RoleUsage& usage);

  std::filesystem::path file_;
  std::ofstream out_;
  std::int64_t most_tokens_ = 0;
  std::map<std::string, Kept> responses_;  // of the round in hand
  std::map<std::string, RoleUsage> roles_;
  Listener listener_;
};

// A policy whose responses a ledger books; both outlive it. The role is that of the addresses'
// purpose. A response that was kept is not asked for again.
class MeteredPolicy final : public Policy {
 public:
  MeteredPolicy(Policy& policy, SamplingLedger& ledger) : policy_(policy), ledger_(ledger) {}

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    return collect_each(requests, parameters);
  }
  Status sample_each(std::span<const SampleRequest> requests, const SampleParameters& parameters,
                     const GroupListener& listener) override;

  Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools, bool thinking) const override {
    return policy_.chat_layout(tools, thinking);
  }
  bool lays_out_messages() const override { return policy_.lays_out_messages(); }
  std::optional<EndpointUsage> usage() const override { return policy_.usage(); }
  std::string spent_budget() const override;
  void drop_kept() override { policy_.drop_kept(); }
  std::string_view name() const override { return policy_.name(); }

 private:
  Policy& policy_;
  SamplingLedger& ledger_;
};

// "generator", "solver", "reviewer", "second_author", or "other": whose responses have addresses of
// this purpose.
std::string_view role_of_purpose(std::uint64_t purpose);

}  // namespace redqueen
