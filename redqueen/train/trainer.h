// The interface of learners, as recipes see them: batches of scored groups in, a report out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/train/objective.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

// The report of one step.
struct StepReport {
  std::int64_t step = 0;       // steps made so far, this one included
  std::int64_t updates = 0;    // optimizer updates made so far
  double learning_rate = 0;    // of the last update
  double loss = 0;             // mean over the step's updates
  double gradient_norm = 0;    // before clipping, mean over the step's updates
  bool stopped_early = false;  // the KL cap ended the step before all its updates were made
  std::size_t groups = 0;
  std::size_t rollouts = 0;
  std::size_t response_tokens = 0;  // of the batch, without given ones
  // that went through the network forward and backward, prompts and given tokens included, in all
  // epochs
  std::size_t trained_tokens = 0;
  double mean_abs_advantage = 0;  // over rollouts
  ObjectiveSums sums;             // over all drawn tokens of all updates
};

// Names and numbers of a report for logs and charts; shares and means instead of sums. The
// disagreement of sampler and trainer is there if it could be measured.
std::vector<std::pair<std::string_view, double>> metrics(const StepReport& report);

// Learns from batches. Not thread-safe.
class Trainer {
 public:
  virtual ~Trainer() = default;

  // Learns from one batch. Fails with a sentence, and the parameters of the last complete update,
  // when the batch cannot be trained on.
  virtual Expected<StepReport> step(std::span<const ScoredGroup> groups) = 0;

  // Steps made so far.
  virtual std::int64_t steps() const = 0;

  // Writes everything that the next step depends on into `folder`, which need not exist; readable
  // by load() of a trainer with the same options. A trainer whose state lives elsewhere asks it to
  // save there.
  virtual Status save(const std::filesystem::path& folder) const = 0;
  virtual Status load(const std::filesystem::path& folder) = 0;
};

}  // namespace redqueen
