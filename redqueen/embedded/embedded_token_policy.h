// Lets a listener hear the tokens of an EmbeddedPolicy while they are drawn.
#pragma once

#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/policy/token_policy.h"

namespace redqueen {

// Refers to the policy. One thread at a time may call either.
class EmbeddedTokenPolicy final : public TokenPolicy {
 public:
  explicit EmbeddedTokenPolicy(const EmbeddedPolicy& policy) : policy_(policy) {}

  const Tokenizer& tokenizer() const override { return policy_.tokenizer(); }
  Expected<std::vector<CompletionGroup>> sample_aloud(std::span<const SampleRequest> requests,
                                                      const SampleParameters& parameters,
                                                      const DrawListener& listener) override;

 private:
  Expected<std::vector<Token>> prompt_of(const SampleRequest& request) const;

  const EmbeddedPolicy& policy_;
};

}  // namespace redqueen
