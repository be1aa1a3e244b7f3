// The seam between the engine and a language model: prompts in, responses with token log-probabilities out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/core/rng.h"

namespace redqueen {

using Token = std::int32_t;

// One prompt and how many responses are wanted of it. The responses form a group: the prompt is computed once.
struct SampleRequest {
  std::string prompt;  // exactly what the policy reads; chat templates are applied before
  // One address a response. The tokens drawn depend on the policy, the prompt, the parameters and this address, not on
  // the batch around them.
  std::vector<RandomAddress> rollouts;
};

struct SampleParameters {
  int max_new_tokens = 256;
  double temperature = 1.0;  // 0: greedy
  int top_k = 0;             // 0: off
  double top_p = 1.0;        // 1: off
  double min_p = 0.0;        // 0: off
  std::vector<std::string>
      stop;  // a response ends after the first of these; it is kept in the text
};

enum class FinishReason {
  kStop,    // end-of-text token or stop string
  kLength,  // max_new_tokens, or the model's context, was reached
};

// One response of a policy.
struct Completion {
  std::string text;           // without the end-of-text token
  std::vector<Token> tokens;  // as drawn, the end-of-text token included if it was drawn
  // Natural logarithm of each token's probability under the policy at the sampling temperature, before top-k, top-p
  // and min-p cut the distribution. As many as tokens. Empty when an outside engine does not tell.
  std::vector<float> log_probs;
  FinishReason finish = FinishReason::kStop;
};

// The responses to one prompt, in the order of SampleRequest::rollouts.
struct CompletionGroup {
  std::vector<Token> prompt_tokens;
  std::vector<Completion> completions;
};

// A language model as the engine sees it. Implementations: EmbeddedPolicy (embedded_policy.h); a remote endpoint.
class Policy {
 public:
  virtual ~Policy() = default;

  // Answers come in the order of the requests. Fails with a sentence when a prompt does not fit the context, or the
  // model cannot be reached.
  virtual Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                        const SampleParameters& parameters) = 0;

  // A conversation of one user message as the policy's own chat template lays it out, up to where the
  // assistant's turn begins. thinking = false: the model is told not to think, if it can be. Fails
  // for a policy without a template.
  virtual Expected<std::string> chat_prompt(std::string_view /*message*/, bool /*thinking*/) const {
    return usage_error(
        "{} has no chat template, which the prompt formats chat and chat:nothink need; use "
        "another, "
        "like boxed or chatml",
        name());
  }

  // Whether a prompt leaves room for a response in the policy's context, as far as that is known.
  virtual bool fits(std::string_view /*prompt*/) const { return true; }

  // A short name for tables and logs.
  virtual std::string_view name() const = 0;
};

}  // namespace redqueen
