// A step's batch laid out flat: rollouts and the tokens that the policy drew numbered through, in
// the order group, rollout, token. Given tokens (rollout.h) have no number: they pass the network,
// and nothing else here sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "redqueen/model/transformer.h"
#include "redqueen/train/batching.h"
#include "redqueen/train/objective.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

// Refers to the groups that it was made from.
struct StepBatch {
  std::span<const ScoredGroup> groups;
  std::vector<std::size_t> first_rollout;  // [groups + 1] number of a group's first rollout
  std::vector<std::size_t> first_token;    // [rollouts + 1] number of a rollout's first drawn token
  std::vector<std::size_t> lengths;  // [rollouts] tokens up to the last drawn one, given included
  std::vector<double> advantages;    // [rollouts]
  std::vector<float> sampler_log_probs;    // [tokens]; empty if any rollout lacks them
  std::vector<float> old_log_probs;        // [tokens]; empty: those of the policy as it is
  bool old_is_sampler = false;             // old_log_probs are sampler_log_probs
  bool same_policy = true;                 // no update was made since the batch was sampled
  std::vector<float> reference_log_probs;  // [tokens]; empty: no reference

  std::size_t rollouts() const { return advantages.size(); }
  std::size_t tokens() const { return first_token.back(); }
};

// Layout, advantages and the sampler's log-probabilities.
StepBatch lay_out(std::span<const ScoredGroup> groups, double advantage_epsilon);

struct PackingOptions {
  std::size_t micro_batch_tokens = 16384;
  bool share_prefix = true;
  bool skip_zero_advantages = false;  // leave out rollouts with advantage 0
  // Processes that share the work: there is something for each of them to do, unless that would cut
  // a group that fits into the budget.
  std::size_t processes = 1;
};

// Micro-batches of the groups in `range`; slices are numbered as in the whole batch.
std::vector<MicroBatch> pack(const StepBatch& batch, Range range, const PackingOptions& options);

// Returns those of them that the process `rank` works on.
std::vector<MicroBatch> share_of(const StepBatch& batch, std::vector<MicroBatch> all,
                                 const PackingOptions& options, std::size_t rank);

// The tokens of a micro-batch, for the network.
std::vector<TokenGroup> token_groups(const StepBatch& batch, const MicroBatch& micro_batch);

// For each drawn token of a micro-batch, in the network's order, its number in the batch.
std::vector<std::size_t> token_numbers(const StepBatch& batch, const MicroBatch& micro_batch);

// The place of a drawn token: its group, the rollout within that, the token within that rollout's
// completion.
struct TokenPlace {
  std::size_t group = 0;
  std::size_t rollout = 0;
  std::size_t token = 0;
};
TokenPlace place_of(const StepBatch& batch, std::size_t number);

// Tokens of a micro-batch that go through the network, prompts and given tokens included.
std::size_t network_tokens(const StepBatch& batch, const MicroBatch& micro_batch,
                           bool share_prefix);

// The inputs of the objective beside the network's output: vectors behind an ObjectiveInput.
struct TokenTerms {
  std::vector<float> old_log_probs;
  std::vector<float> sampler_log_probs;
  std::vector<float> reference_log_probs;
  std::vector<float> advantages;
  std::vector<double> coefficients;
  std::vector<std::uint8_t> likelihood;
  bool old_is_sampler = false;
  bool same_policy = true;

  ObjectiveInput input(std::span<const float> log_probs, std::span<const float> entropy) const;
};

// `coefficients`: one a rollout of the groups from `first_group` on, as token_coefficients() gives
// them.
TokenTerms token_terms(const StepBatch& batch, const MicroBatch& micro_batch,
                       std::span<const double> coefficients, std::size_t first_group);

}  // namespace redqueen
