// Supervised fine-tuning raises the likelihood of given targets, token by token: the warm start of
// a policy.
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
#include "redqueen/model/transformer.h"
#include "redqueen/text/text_pair.h"
#include "redqueen/text/tokenizer.h"
#include "redqueen/train/adamw.h"
#include "redqueen/train/schedule.h"

namespace redqueen {

// Pairs with the same prompt become one group, in the order of their first appearance. `end`, if
// given, is appended to every target.
std::vector<TokenGroup> encode_pairs(const Tokenizer& tokenizer, std::span<const TextPair> pairs,
                                     std::optional<Token> end);

// Told of the update that failed, counted from 1, and of the groups it was to learn from.
using SftFailureObserver = std::function<void(std::int64_t update, std::span<const TokenGroup>)>;

struct SftOptions {
  AdamWOptions optimizer;
  // Counts updates. total = 0: as many as there will be.
  Schedule schedule{.shape = ScheduleShape::kCosine, .peak = 1e-3, .floor = 0.1};
  int epochs = 1;
  std::size_t batch_tokens = 8192;         // of an update: groups are added until it is reached
  std::size_t micro_batch_tokens = 16384;  // through the network at once
  bool activation_checkpointing = false;
  std::uint64_t seed = 0;           // of the order of groups, new in every epoch
  std::int64_t held_out_every = 0;  // updates between two held-out losses; 0: at the end only
  // No update is made of a batch whose loss exceeds this, as in TrainerOptions; 0: only if it is
  // not finite.
  double loss_limit = 0;
  SftFailureObserver on_failure;  // called before fine_tune() fails on a batch
  // A folder for the state of a training that is interrupted: written when the observer says so,
  // gone on with if it is there, with the same parameters in the end, bit for bit on one thread.
  // The caller that keeps the result removes it. Empty: none.
  std::filesystem::path state;
};

// The state after an update.
struct SftProgress {
  std::int64_t update = 0;  // updates made
  std::int64_t total_updates = 0;
  double loss = 0;           // nats per target token, of this update's batch
  double gradient_norm = 0;  // before clipping
  double learning_rate = 0;
  std::size_t target_tokens = 0;  // trained on so far
  std::optional<double> held_out_loss;
};

enum class SftNext {
  kGoOn,
  kSave,  // the state to its folder, and go on
  kStop,  // after saving the state, if there is a folder for it
};

// Called after every update.
using SftObserver = std::function<SftNext(const SftProgress&)>;

struct SftReport {
  std::int64_t updates = 0;
  double first_loss = 0;  // of the first update's batch
  double last_loss = 0;   // of the last update's batch
  std::size_t target_tokens = 0;
  std::optional<double> held_out_loss;  // at the end; nothing without held-out groups
  std::int64_t resumed_after = 0;       // updates made by the trainings that were interrupted
  bool complete = true;                 // false: the observer stopped it before the last update
};

// Minimises the mean negative log-likelihood of the target tokens. The weights are those that
// `transformer` is a handle to. Fails when there is nothing to train on, a token is not in the
// vocabulary, a pair is too long, or the loss or the gradients of a batch are not finite or beyond
// their limits; the parameters are then as they were before that batch.
Expected<SftReport> fine_tune(const Transformer& transformer, std::span<const TokenGroup> groups,
                              std::span<const TokenGroup> held_out, const SftOptions& options,
                              const SftObserver& observer = {});

// Mean negative log-likelihood per target token, in nats. `groups` hold at least one target token.
double target_loss(const Transformer& transformer, std::span<const TokenGroup> groups,
                   std::size_t micro_batch_tokens);

}  // namespace redqueen
