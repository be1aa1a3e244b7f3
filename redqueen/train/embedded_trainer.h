// Trains the embedded transformer: groups → advantages → objective → AdamW.
//
// A step's batch is cut into mini-batches, each of which makes one update, `epochs` times over; a
// mini-batch is cut into micro-batches whose gradients add up to those of the whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/model/transformer.h"
#include "redqueen/text/tokenizer.h"
#include "redqueen/train/adamw.h"
#include "redqueen/train/advantage.h"
#include "redqueen/train/aggregation.h"
#include "redqueen/train/communicator.h"
#include "redqueen/train/objective.h"
#include "redqueen/train/schedule.h"
#include "redqueen/train/sharding.h"
#include "redqueen/train/step_batch.h"
#include "redqueen/train/trainer.h"
#include "redqueen/train/trainer_options.h"

namespace redqueen {

class EmbeddedTrainer final : public Trainer {
 public:
  // Trains the weights that the policy samples with: its next sample() draws from what was learned.
  // The policy may die before the trainer. Fails when the options contradict each other or the
  // reference cannot be read.
  static Expected<std::unique_ptr<EmbeddedTrainer>> create(const EmbeddedPolicy& policy,
                                                           const TrainerOptions& options,
                                                           const Sharing& sharing = {});

  // Trains weights without a policy; what save() leaves has no tokenizer.
  static Expected<std::unique_ptr<EmbeddedTrainer>> create(Transformer transformer,
                                                           const TrainerOptions& options,
                                                           const Sharing& sharing = {});

  // From now on every step is made together with other processes, each of which has a trainer of
  // the same parameters and options, and is given the same groups: each works on a part of every
  // mini-batch, and all make the same update. It is that of one process, up to rounding: sums of
  // gradients have another order, unless a mini-batch makes as many micro-batches as there are
  // processes, two at most.
  //
  // With a sharing among several processes, join() comes before the first step, with a communicator
  // of that place; save() and load() are made by all processes together, too, with a folder that
  // all of them see.
  void join(std::shared_ptr<Communicator> communicator);

  Expected<StepReport> step(std::span<const ScoredGroup> groups) override;
  std::int64_t steps() const override { return steps_; }

  // The folder holds policy/ (a Hugging Face folder; without tokenizer files if there is no
  // tokenizer), trainer.safetensors (moments, and float32 masters of bfloat16 parameters; where
  // processes share them a file for each, readable by any number of processes) and trainer.json
  // (counters). It is replaced as a whole: a process killed while saving leaves the old state or
  // the new one. Saved, loaded and continued on one CPU thread, training gives the same parameters,
  // bit for bit, as without the interruption. load() changes nothing when it fails; save() fails
  // when a parameter is not finite.
  Status save(const std::filesystem::path& folder) const override;
  Status load(const std::filesystem::path& folder) override;

  const Transformer& transformer() const { return transformer_; }
  // True if this process has a slice of the optimizer's state only.
  bool is_shared() const { return sharing_.place.size > 1; }

 private:
  EmbeddedTrainer(Transformer transformer, const TrainerOptions& options, const Sharing& sharing);

  Status check(std::span<const ScoredGroup> groups) const;
  Status add_log_probs(StepBatch& batch) const;
  Status add_reference_log_probs(StepBatch& batch) const;
  Expected<std::vector<float>> score_batch(const Transformer& model, const StepBatch& batch) const;
  Expected<bool> update(const StepBatch& batch, Range range, StepReport& report);
  // Sums over the micro-batches of a mini-batch.
  struct PassSums {
    double loss = 0;
    ObjectiveSums sums;
    std::uint64_t trained_tokens = 0;
  };
  Expected<PassSums> accumulate(const StepBatch& batch, Range range);
  Expected<PassSums> accumulate_share(const StepBatch& batch, Range range);
  Status add_micro_batch(const StepBatch& batch, Range range, const MicroBatch& micro_batch,
                         std::span<const double> coefficients, PassSums& pass);
  std::size_t rounds_of(const StepBatch& batch, Range range, const PackingOptions& options) const;
  bool shares_gradients() const;
  Status check_place() const;
  Status save_files(const std::filesystem::path& folder) const;
  Status save_slices(const std::filesystem::path& folder) const;
  Expected<PassSums> add_up(const Expected<PassSums>& own);
  Status check_loss(double loss, Range range) const;
  bool exceeds_kl_cap(const StepBatch& batch, const ObjectiveSums& sums) const;
  ScoreOptions score_options() const;
  PackingOptions packing() const;
  std::vector<MicroBatch> own_share(const StepBatch& batch, Range range,
                                    const PackingOptions& options) const;

  Transformer transformer_;
  std::optional<Tokenizer> tokenizer_;
  std::optional<Transformer> reference_;  // if held
  TrainerOptions options_;
  Sharing sharing_;
  AdamW optimizer_;
  std::shared_ptr<Communicator> communicator_;  // if not alone
  std::int64_t steps_ = 0;
};

}  // namespace redqueen
