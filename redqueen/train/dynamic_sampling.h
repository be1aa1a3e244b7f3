// Dynamic sampling (Yu et al., DAPO, 2025, §3.2): groups whose rollouts all earned the same reward
// teach nothing under a group-relative advantage. They are dropped, and sampling goes on until the
// batch is full or the rounds are used up.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

// The fate of groups that have variance but find the batch full.
enum class Surplus {
  kDrop,  // the default: nothing outlives a step, so a checkpoint needs no rollouts
  kKeep,  // handed back in DynamicBatch::surplus for the next step, where they are one update old
};

struct DynamicSamplingOptions {
  std::size_t groups = 0;  // of a full batch
  int max_rounds = 10;     // at least 1
  Surplus surplus = Surplus::kDrop;
  // Rounds may bring no groups at all: their responses are still being drawn.
  bool rounds_may_be_empty = false;
};

struct DynamicBatch {
  std::vector<ScoredGroup>
      groups;  // in the order they were sampled, carried ones first; at most options.groups
  std::vector<ScoredGroup> surplus;  // kKeep: the rest, in order; kDrop: empty
  std::size_t sampled = 0;           // groups sampled in this call
  std::size_t kept = 0;              // those of them with variance, surplus included
  int rounds = 0;                    // calls of the sampler
  bool full = false;

  // Share of sampled prompts that can teach: RLVE's headline metric. 0 when nothing was sampled.
  double effective_prompt_ratio() const {
    return sampled == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(sampled);
  }
};

// Rewards that differ by no more than this count as equal. Two wrong answers may earn
// (matches / N)^10 each, and an advantage that divides by the spread would set them as far apart as
// a right and a wrong one.
inline constexpr double kRewardDust = 0.01;

// True if the rewards of two rollouts of the group differ by more than kRewardDust.
bool has_variance(const ScoredGroup& group);

// Samples and scores one round of groups. `round` counts from 0 and belongs into the random
// address; `missing` is how many groups the batch still lacks, a hint that need not be followed. It
// sees every group, so it is the place to count and to let curricula learn.
using SampleRound =
    std::function<Expected<std::vector<ScoredGroup>>(int round, std::size_t missing)>;

// Fills a batch, first from `carried` (the surplus of the call before). A batch that stays short
// because max_rounds is reached is no error: `full` is false. Fails when the sampler does, or
// returns an empty round that may not be.
Expected<DynamicBatch> sample_dynamically(const DynamicSamplingOptions& options,
                                          const SampleRound& sample_round,
                                          std::vector<ScoredGroup> carried = {});

}  // namespace redqueen
