// The seam between the engine and a language model: prompts in, responses with token
// log-probabilities out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/rng.h"
#include "redqueen/core/episode.h"
#include "redqueen/text/chat_layout.h"
#include "redqueen/text/token.h"

namespace redqueen {

// One prompt and how many responses are wanted of it. The responses form a group: the prompt is
// computed once.
//
// The prompt is a text; or a conversation's next turn, which continues tokens that were drawn; or a
// conversation that the policy lays out itself.
struct SampleRequest {
  // Exactly what the policy reads; chat templates are applied before.
  std::string prompt;
  // One address a response. The tokens drawn depend on the policy, the prompt, the parameters and
  // this address, not on the batch around them.
  std::vector<RandomAddress> addresses;
  // The tokens before `prompt`: CompletionGroup::prompt_tokens and Completion::tokens of earlier
  // turns, which are read as they were drawn and never tokenised anew. `prompt` is then what
  // ChatLayout::between() puts after them. If they end with the end of a turn, the one with which
  // `prompt` begins is left out.
  std::vector<Token> prompt_tokens = {};
  // A whole conversation instead of both, and the tools offered in it. A policy of this process
  // lays it out by its chat template (ChatLayout::opening); an endpoint is sent the messages.
  std::vector<Message> messages = {};
  std::vector<ToolSpec> tools = {};
  // Asks the policy to keep what it computed for these responses, so that one later request whose
  // prompt_tokens are this prompt and a response of it is not computed from its beginning. A hint:
  // what does not fit into memory is computed anew, with the same tokens up to rounding.
  bool keep = false;
  // The sort of prompt, an environment and a level, say: responses to one sort tend to be of like
  // length. It decides nothing but who draws them; may be empty.
  std::string kind = {};
};

struct SampleParameters {
  int max_new_tokens = 256;
  double temperature = 1.0;  // 0: greedy
  int top_k = 0;             // 0: off
  double top_p = 1.0;        // 1: off
  double min_p = 0.0;        // 0: off
  std::vector<std::string>
      stop;  // a response ends after the first of these; it is kept in the text
  // A longer prompt has no response; 0: as long as the context. What continues tokens that were
  // drawn (SampleRequest::prompt_tokens) is not measured, nor what an endpoint lays out.
  int max_prompt_tokens = 0;
};

enum class FinishReason {
  kStop,           // end-of-text token or stop string
  kLength,         // max_new_tokens, or the model's context, was reached
  kPromptTooLong,  // longer than max_prompt_tokens, or no room is left: there is no response
  kFailed,         // the response could not be had
};

// One response of a policy.
struct Completion {
  std::string text;           // without the end-of-text token
  std::vector<Token> tokens;  // as drawn, the end-of-text token included if it was drawn
  // Natural logarithm of each token's probability under the policy at the sampling temperature,
  // before top-k, top-p and min-p cut the distribution. As many as tokens. Empty when an outside
  // engine does not tell.
  std::vector<float> log_probs;
  FinishReason finish = FinishReason::kStop;
  std::string failure = {};  // why there is no response; empty where there is one
  // The calls, from an endpoint that tells calls from text; for other policies read_action() finds
  // them.
  std::vector<ToolCall> tool_calls = {};

  // Without a response, text and tokens are empty.
  bool is_missing() const {
    return finish == FinishReason::kPromptTooLong || finish == FinishReason::kFailed;
  }
};

// The assistant's turn: a response's text, and the calls of tools that were made or stand in it
// (core/tool_calls.h).
Action read_action(const Completion& completion, std::span<const ToolSpec> tools);

// The responses to one prompt, in the order of SampleRequest::addresses.
struct CompletionGroup {
  std::vector<Token> prompt_tokens;
  std::vector<Completion> completions;
};

// Takes the responses to the request of this number, on the thread that samples, which waits
// meanwhile.
using GroupListener = std::function<void(std::size_t request, CompletionGroup group)>;

// The usage of an endpoint so far.
struct EndpointUsage {
  std::int64_t requests = 0;  // answered
  std::int64_t retries = 0;
  std::int64_t failures = 0;  // given up, or refused for the budget
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  double cost = 0;
};

// A language model as the engine sees it. Implementations: EmbeddedPolicy (embedded_policy.h),
// RemotePolicy (remote_policy.h).
class Policy {
 public:
  virtual ~Policy() = default;

  // Returns one group a request, in their order. A response that cannot be had, because its prompt
  // does not fit or its request failed, is an outcome of that response alone
  // (Completion::is_missing). The call fails, with a sentence, when the parameters make no sense or
  // the policy as a whole is out of order.
  virtual Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                        const SampleParameters& parameters) = 0;

  // Samples likewise, for more requests than memory could hold the responses of: `listener` is
  // handed each group when its last response is there, in any order, and nothing is kept. When the
  // call fails, some groups may have been handed over. By default a call of sample().
  virtual Status sample_each(std::span<const SampleRequest> requests,
                             const SampleParameters& parameters, const GroupListener& listener);

  // Returns the layout that the policy's chat template gives to conversations with these tools.
  // thinking = false: the model is told not to think, if it can be. Fails for a policy without a
  // template.
  virtual Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools,
                                           bool thinking = true) const;
  // True if the model stands behind an endpoint that lays out conversations itself: they go there
  // as messages, and a prompt becomes the user's message.
  virtual bool lays_out_messages() const { return false; }

  // Returns the usage of an endpoint; nothing for a policy of this process.
  virtual std::optional<EndpointUsage> usage() const { return std::nullopt; }
  // The budget that is used up, in words: "5012 of 5000 tokens (endpoint.max_tokens)". Empty: there
  // is room, or no budget.
  virtual std::string spent_budget() const { return {}; }

  // Gives back what was kept for requests with SampleRequest::keep. Happens by itself when the
  // policy's weights change.
  virtual void drop_kept() {}

  // A short name for tables and logs.
  virtual std::string_view name() const = 0;

 protected:
  // sample() by means of a sample_each() that does not call it.
  Expected<std::vector<CompletionGroup>> collect_each(std::span<const SampleRequest> requests,
                                                      const SampleParameters& parameters);
};

}  // namespace redqueen
