// An environment that asks to repeat numbers, and a policy that can up to a length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "redqueen/core/testing/repeat_number.h"
#include "redqueen/policy/policy.h"
#include "redqueen/suites/suite.h"

namespace redqueen {

struct Echo : RepeatNumber {
  static constexpr Card card{.name = "Echo",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "A digit a level.",
                             .rewards = "1 if right, else 0.",
                             .max_level = 5};
};
inline const NativeEnvironment<Echo> kEcho;

// Repeats numbers of up to `digits` digits; longer ones, and every `lapse`-th answer, wrongly.
class EchoPolicy final : public Policy {
 public:
  explicit EchoPolicy(std::size_t digits, std::uint64_t lapse = 0)
      : digits_(digits), lapse_(lapse) {}

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters&) override {
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      prompts.push_back(request.prompt);
      std::string number = request.prompt.substr(7);
      number = number.substr(0, number.find('\n'));
      CompletionGroup group{.prompt_tokens = {1, 2, 3}};
      for (const RandomAddress& address : request.addresses) {
        const bool right = number.size() <= digits_ && (lapse_ == 0 || address.salt % lapse_ != 0);
        group.completions.push_back({.text = right ? number + "</answer>" : "0</answer>",
                                     .tokens = {4, 5},
                                     .log_probs = {-0.5F, -0.5F}});
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }
  std::string_view name() const override { return "scripted"; }

  std::vector<std::string> prompts;

 private:
  std::size_t digits_;
  std::uint64_t lapse_;
};

inline Suite echo_suite() { return {.name = "echo", .environments = {&kEcho}}; }

}  // namespace redqueen
