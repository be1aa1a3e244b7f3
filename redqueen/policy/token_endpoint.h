// An engine that draws responses for a trainer: tokens in, tokens and log-probabilities out, and
// other weights whenever the trainer has them. vLLM, SGLang and `redqueen serve` are such engines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/policy/endpoint_calls.h"
#include "redqueen/policy/policy.h"

namespace redqueen {

// Asks /completions to go on after a prompt.
struct TokenRequest {
  std::vector<Token> prompt;
  std::vector<Token> stop_tokens;  // any of these ends the response
  SampleParameters parameters;
  std::uint64_t seed = 0;  // its lower 31 bits are sent
};

struct TokenReply {
  std::vector<Token> tokens;     // as drawn
  std::vector<float> log_probs;  // as many
  FinishReason finish = FinishReason::kStop;
  // The version of the weights that drew it, as load_weights() named them, or as the engine calls
  // others; nothing if it does not say.
  std::optional<std::string> version;
  TokenCounts counts;
};

// Takes the reply to the request of this number.
using TokenListener = std::function<void(std::size_t request, Expected<TokenReply> reply)>;

// The call that makes an engine load weights.
enum class ReloadCall {
  kSglang,  // /update_weights_from_disk: of SGLang and of `redqueen serve --take-weights`
  kVllm,    // /collective_rpc for reload_weights, then /reset_prefix_cache: of vLLM
};

// Not for sharing between threads.
class TokenEndpoint {
 public:
  // Fails where ChatEndpoint::create() does.
  static Expected<TokenEndpoint> create(const EndpointOptions& options);

  // Hands each reply to `listener` when it is there, in any order. A request that the engine
  // refuses is no failure of the others. Fails, and leaves the rest unasked, as soon as the engine
  // is out of order: one request met no connection, a time-out or a status of failure in all its
  // attempts, the engine refuses the key or has no such path, or it does not tell the tokens that
  // it drew and their log-probabilities. Fails likewise when a budget of the options is spent.
  Status complete(std::span<const TokenRequest> requests, const TokenListener& listener);

  // Has the engine load a checkpoint folder, which it sees by the same path, and waits until it
  // has. `version` names the weights for TokenReply::version.
  Status load_weights(ReloadCall call, const std::filesystem::path& folder,
                      const std::string& version);

  const EndpointUsage& usage() const { return calls_.usage(); }
  std::string spent_budget() const { return calls_.spent_budget(); }
  const EndpointOptions& options() const { return calls_.options(); }

 private:
  explicit TokenEndpoint(EndpointCalls calls) : calls_(std::move(calls)) {}
  EndpointCalls calls_;
};

}  // namespace redqueen
