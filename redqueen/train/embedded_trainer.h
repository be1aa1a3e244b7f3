// Trains the embedded transformer: groups → advantages → objective → AdamW.
//
// A step's batch is cut into mini-batches, each of which makes one update, `epochs` times over; a mini-batch is cut into
// micro-batches whose gradients add up to those of the whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/policy/embedded_policy.h"
#include "redqueen/policy/tokenizer.h"
#include "redqueen/policy/transformer.h"
#include "redqueen/train/adamw.h"
#include "redqueen/train/advantage.h"
#include "redqueen/train/aggregation.h"
#include "redqueen/train/objective.h"
#include "redqueen/train/schedule.h"
#include "redqueen/train/step_batch.h"
#include "redqueen/train/trainer.h"

namespace redqueen {

// Where the log-probabilities of the policy before the step come from.
enum class OldLogProbs {
  kSampler,     // from the rollouts; nothing is computed twice
  kRecomputed,  // from the transformer at the start of the step. Costs a forward pass, unless the step makes a single
                // update, where the log-probabilities of that update's own pass are they
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
  std::size_t token_budget = 16384;
  bool share_prefix = true;
  bool activation_checkpointing = false;
  // Hugging Face folder of the reference policy; needed if objective.kl_coefficient ≠ 0, otherwise its KL is merely
  // measured. Empty: none.
  std::filesystem::path reference;
  bool hold_reference =
      true;  // false: read from the folder in every step, and freed before training
  // A mini-batch whose mean KL (to the reference if there is one, else to the policy before the step) exceeds this makes
  // no update and ends the step. 0: off.
  double kl_cap = 0;
};

class EmbeddedTrainer final : public Trainer {
 public:
  // Trains the weights that the policy samples with: its next sample() draws from what was learned. The policy may die
  // before the trainer. Fails when the options contradict each other or the reference cannot be read.
  static Expected<std::unique_ptr<EmbeddedTrainer>> create(const EmbeddedPolicy& policy,
                                                           const TrainerOptions& options);

  // As above, for weights without a policy; what save() leaves has no tokenizer.
  static Expected<std::unique_ptr<EmbeddedTrainer>> create(Transformer transformer,
                                                           const TrainerOptions& options);

  Expected<StepReport> step(std::span<const ScoredGroup> groups) override;
  std::int64_t steps() const override { return steps_; }

  // The folder holds policy/ (a Hugging Face folder; without tokenizer files if there is no tokenizer),
  // trainer.safetensors (moments, and float32 masters of bfloat16 parameters) and trainer.json (counters). It is replaced
  // as a whole: a process killed while saving leaves the old state or the new one. Saved, loaded and continued on one CPU
  // thread, training gives the same parameters, bit for bit, as without the interruption. load() changes nothing when it
  // fails.
  Status save(const std::filesystem::path& folder) const override;
  Status load(const std::filesystem::path& folder) override;

  const Transformer& transformer() const { return transformer_; }

 private:
  EmbeddedTrainer(Transformer transformer, const TrainerOptions& options);

  Status check(std::span<const ScoredGroup> groups) const;
  Status add_log_probs(StepBatch& batch) const;
  std::vector<float> score_batch(const Transformer& model, const StepBatch& batch) const;
  Expected<bool> update(const StepBatch& batch, Range range, StepReport& report);
  Expected<double> accumulate(const StepBatch& batch, Range range, StepReport& report,
                              ObjectiveSums& sums);
  bool exceeds_kl_cap(const StepBatch& batch, const ObjectiveSums& sums) const;
  ScoreOptions score_options() const;
  PackingOptions packing() const;

  Transformer transformer_;
  std::optional<Tokenizer> tokenizer_;
  std::optional<Transformer> reference_;  // if held
  TrainerOptions options_;
  AdamW optimizer_;
  std::int64_t steps_ = 0;
};

}  // namespace redqueen
