// The decoder-only transformer of Qwen2, Qwen3, Llama 3, Mistral, SmolLM3 and Gemma checkpoints:
// RMSNorm, rotary positions, grouped-query attention, a gated feed-forward block (model_config.h
// has what the families differ in). Runs on any device of libtorch, in float32 or bfloat16.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/checkpoint/model_config.h"
#include "redqueen/text/token.h"

namespace redqueen {

struct TransformerWeights;

// A prompt and its responses. The prompt is not empty; a response may be.
struct TokenGroup {
  std::vector<Token> prompt;
  std::vector<std::vector<Token>> responses;
  // [responses], or empty: the runs of each response that are attended to and not scored, ascending
  // and without overlap.
  std::vector<std::vector<TokenRun>> given = {};
};

// The number of tokens of a group that are scored.
std::size_t scored_tokens(const TokenGroup& group);

struct ScoreOptions {
  bool share_prefix = true;  // false: prompt + response separately, the slow way
  bool activation_checkpointing =
      false;  // compute each layer again in the backward pass: less memory, a third slower
  double temperature = 1.0;  // logits are divided by it
  bool entropy = false;
};

// Scores of every response token that is not given, in the order group, response, token: float32
// [scored_tokens() of all groups], differentiable.
struct TokenScores {
  at::Tensor log_probs;  // natural logarithm of the token's probability
  at::Tensor
      entropy;  // of the distribution that it was drawn from, in nats; undefined unless asked for
};

struct NamedTensor {
  std::string name;  // as in Hugging Face checkpoints
  at::Tensor tensor;
};

struct TransformerOptions {
  at::ScalarType dtype = at::kFloat;  // or at::kBFloat16
  at::Device device = at::kCPU;
};

// A handle: copies share the weights. Methods may be called from several threads at once as long as
// nobody writes to the parameters meanwhile.
class Transformer {
 public:
  // Reads config.json, generation_config.json and the safetensors of a Hugging Face folder.
  static Expected<Transformer> load(const std::filesystem::path& folder,
                                    const TransformerOptions& options = {});

  // Random weights: normal with deviation config.initializer_range, the projections back into the
  // residual stream scaled by 1/√(2 × layers) as in GPT-2, biases zero, norms that multiply by one;
  // the same for the same seed on every machine. config.check() must hold.
  static Transformer initialise(const ModelConfig& config, std::uint64_t seed,
                                const TransformerOptions& options = {});

  // Another model with the same weights, which no longer follows this one.
  Transformer clone() const;

  const ModelConfig& config() const;
  TransformerOptions options() const;

  // Leaves that require gradients; a tied embedding is listed once. Write to them in place only
  // (under NoGradGuard): projections share memory, so that the forward pass multiplies once, and
  // replaced tensors would not be seen.
  std::vector<NamedTensor> parameters() const;

  // Rises whenever one of the parameters is written to.
  std::uint64_t weights_version() const;

  // Log-probabilities of the responses given their prompts. With share_prefix a group's prompt
  // passes the network once, forward and backward; its responses attend to it and to themselves, at
  // the positions that follow it. Gradients flow to parameters() unless gradients are off
  // (NoGradGuard).
  TokenScores score(std::span<const TokenGroup> groups, const ScoreOptions& options) const;

  // tokens: [T] → [T, vocabulary], in the model's type: what every position predicts for the next.
  at::Tensor logits(std::span<const Token> tokens) const;

  // For generation (decoder.h).
  const TransformerWeights& weights() const { return *weights_; }
  const std::shared_ptr<const TransformerWeights>& shared_weights() const { return weights_; }

 private:
  explicit Transformer(std::shared_ptr<const TransformerWeights> weights)
      : weights_(std::move(weights)) {}
  std::shared_ptr<const TransformerWeights> weights_;
};

}  // namespace redqueen
