// A policy that is asked what does not fit into its context, and answers nothing to that.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/policy/policy.h"
#include "redqueen/run/progress.h"

namespace redqueen {

// For recipes: what a policy wrote, or a level that has risen, can make prompts of any length, and must not end a run.
// Responses to a prompt that does not fit are empty, without tokens: whoever scores them counts them as wrong, and the
// training loop leaves their groups out. The first time, and whenever their number has doubled, the user is told.
class FittingPolicy final : public Policy {
 public:
  // Both outlive this policy.
  FittingPolicy(Policy& inner, Progress& progress) : inner_(inner), progress_(progress) {}

  // Fails, as `inner` does, as long as no prompt has ever fitted: then the settings are at fault.
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override;
  Expected<std::string> chat_prompt(std::string_view message, bool thinking) const override {
    return inner_.chat_prompt(message, thinking);
  }
  bool fits(std::string_view prompt) const override { return inner_.fits(prompt); }
  std::string_view name() const override { return inner_.name(); }

  // Prompts that did not fit, so far.
  std::int64_t too_long() const { return too_long_; }

 private:
  void tell(std::int64_t more);

  Policy& inner_;
  Progress& progress_;
  bool has_fitted_ = false;
  std::int64_t too_long_ = 0;
  std::int64_t told_at_ = 1;
};

}  // namespace redqueen
