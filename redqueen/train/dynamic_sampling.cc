#include "redqueen/train/dynamic_sampling.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace redqueen {

bool has_variance(const ScoredGroup& group) {
  if (group.rollouts.empty()) return false;
  const auto [least, most] = std::ranges::minmax(group.rollouts, {}, &ScoredRollout::reward);
  return most.reward - least.reward > kRewardDust;
}

Expected<DynamicBatch> sample_dynamically(const DynamicSamplingOptions& options,
                                          const SampleRound& sample_round,
                                          std::vector<ScoredGroup> carried) {
  DynamicBatch batch;
  batch.groups = std::move(carried);
  while (batch.groups.size() < options.groups && batch.rounds < options.max_rounds) {
    ASSIGN_OR_RETURN(auto sampled,
                     sample_round(batch.rounds, options.groups - batch.groups.size()));
    if (sampled.empty() && !options.rounds_may_be_empty) {
      return failure(
          "dynamic sampling: round {} brought no groups at all, with {} of {} still missing. "
          "Check that the environments of this run can generate problems.",
          batch.rounds, options.groups - batch.groups.size(), options.groups);
    }
    ++batch.rounds;
    batch.sampled += sampled.size();
    for (ScoredGroup& group : sampled) {
      if (!has_variance(group)) continue;
      ++batch.kept;
      batch.groups.push_back(std::move(group));
    }
  }
  batch.full = batch.groups.size() >= options.groups;
  if (batch.groups.size() > options.groups) {
    const auto end = batch.groups.begin() + options.groups;
    if (options.surplus == Surplus::kKeep) {
      batch.surplus.assign(std::make_move_iterator(end),
                           std::make_move_iterator(batch.groups.end()));
    }
    batch.groups.erase(end, batch.groups.end());
  }
  return batch;
}

}  // namespace redqueen
