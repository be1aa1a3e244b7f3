// Options of the embedded trainer (embedded_trainer.h).
#pragma once

#include <cstddef>
#include <filesystem>

#include "redqueen/train/adamw_options.h"
#include "redqueen/train/advantage.h"
#include "redqueen/train/aggregation.h"
#include "redqueen/train/objective.h"
#include "redqueen/train/schedule.h"

namespace redqueen {

// The source of the log-probabilities of the policy before the step.
enum class OldLogProbs {
  kSampler,  // the rollouts; nothing is computed twice
  // The transformer at the start of the step. Costs a forward pass, unless the step makes a single
  // update: then that update's own pass has them.
  kRecomputed,
};

struct TrainerOptions {
  ObjectiveOptions objective;
  AggregationOptions aggregation;
  AdamWOptions optimizer;
  Schedule schedule;  // counts updates, not steps
  double advantage_epsilon = kAdvantageEpsilon;
  OldLogProbs old_log_probs = OldLogProbs::kSampler;
  double temperature = 1.0;  // that the rollouts were sampled at
  int epochs = 1;            // times each group is trained on in a step
  int mini_batches = 1;      // updates an epoch; at most one a group
  // Tokens through the network at once. More fill a large device, fewer save memory.
  std::size_t micro_batch_tokens = 16384;
  bool share_prefix = true;
  bool activation_checkpointing = false;
  // Hugging Face folder of the reference policy; needed if objective.kl_coefficient ≠ 0, otherwise
  // its KL is merely measured. Empty: none.
  std::filesystem::path reference;
  bool hold_reference =
      true;  // false: read from the folder in every step, and freed before training
  // A mini-batch whose mean KL (to the reference if there is one, else to the policy before the
  // step) exceeds this makes no update and ends the step. 0: off.
  double kl_cap = 0;
  // An update whose loss, in absolute value, exceeds this is not made, and the step fails. 0: only
  // if it is not finite. (Likewise for gradients: optimizer.gradient_norm_limit.)
  double loss_limit = 0;
};

}  // namespace redqueen
