// Has another engine (vLLM, SGLang, `redqueen serve`) draw the responses of a policy that learns in
// this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/policy/token_endpoint.h"
#include "redqueen/run/event_store.h"

namespace redqueen {

struct HandoverOptions {
  ReloadCall reload = ReloadCall::kSglang;
  // The folder through which weights are handed over; the engine must see it by the same path.
  std::filesystem::path folder;
  // Steps that the trainer has made: they name the weights.
  std::function<std::int64_t()> steps;
};

// Prompts become tokens here and go to the engine as such; it tells the tokens that it drew and
// their log-probabilities. Whenever the weights have changed since the last call, they are written
// as a checkpoint, in which adapters are added into the model, and the engine is told to load it
// before it is asked. One thread at a time may call it.
class EnginePolicy final : public Policy {
 public:
  // `own` outlives it.
  EnginePolicy(const EmbeddedPolicy& own, TokenEndpoint engine, HandoverOptions options);

  // Fails when the weights cannot be handed over, the engine is out of order
  // (TokenEndpoint::complete), or what it draws cannot be of these weights: it names another
  // version of them, draws tokens that they do not have, or keeps a response's end to itself. A
  // request that the engine refuses is a response that cannot be had.
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    return collect_each(requests, parameters);
  }
  Status sample_each(std::span<const SampleRequest> requests, const SampleParameters& parameters,
                     const GroupListener& listener) override;
  // Writes the weights of now, if they have changed. Until release_weights(), sample() draws with
  // these and does not look at those here, which another thread may change meanwhile.
  Status hold_weights();
  void release_weights() { is_held_ = false; }

  Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools,
                                   bool thinking = true) const override {
    return own_.chat_layout(tools, thinking);
  }
  std::optional<EndpointUsage> usage() const override { return engine_.usage(); }
  std::string spent_budget() const override { return engine_.spent_budget(); }
  std::string_view name() const override { return own_.name(); }

  // The metrics of what was drawn since the last call: "engine/weights_step", the number of steps
  // that the weights that drew it had learnt; "engine/handover_seconds"; "engine/retries".
  std::vector<run::MetricValue> take_metrics();

 private:
  Status hand_over();
  Status write_if_changed();
  Status write_weights() const;
  std::string version() const;
  Expected<Completion> completion_of(const TokenReply& reply,
                                     const SampleParameters& parameters) const;

  const EmbeddedPolicy& own_;
  Expected<ChatTemplate> chat_;
  TokenEndpoint engine_;
  HandoverOptions options_;
  std::optional<std::uint64_t> written_;  // Transformer::weights_version() that the folder has
  std::int64_t weights_step_ = 0;         // likewise, in steps
  bool is_loaded_ = false;                // by the engine, what the folder has
  bool is_held_ = false;
  double handover_seconds_ = 0;
  std::int64_t told_retries_ = 0;
};

}  // namespace redqueen
