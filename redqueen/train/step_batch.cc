#include "redqueen/train/step_batch.h"

#include <algorithm>

#include "redqueen/train/advantage.h"

namespace redqueen {
namespace {

std::size_t rollout_number(const StepBatch& batch, std::size_t group, std::size_t rollout) {
  return batch.first_rollout[group] + rollout;
}

// Calls visit(rollout number) for every rollout of a micro-batch, in the network's order.
template <typename Visit>
void for_each_rollout(const StepBatch& batch, const MicroBatch& micro_batch, Visit visit) {
  for (const GroupSlice& slice : micro_batch) {
    for (const std::size_t response : slice.responses) {
      visit(slice.group, rollout_number(batch, slice.group, response));
    }
  }
}

void append(std::vector<float>& target, const std::vector<float>& source, std::size_t begin,
            std::size_t end) {
  if (source.empty()) return;
  target.insert(target.end(), source.begin() + static_cast<std::ptrdiff_t>(begin),
                source.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace

StepBatch lay_out(std::span<const ScoredGroup> groups, double advantage_epsilon) {
  StepBatch batch{.groups = groups, .first_rollout = {0}, .first_token = {0}};
  batch.advantages = advantages(groups, advantage_epsilon);
  bool sampler_known = true;
  for (const ScoredGroup& group : groups) {
    for (const ScoredRollout& rollout : group.rollouts) {
      const Completion& completion = rollout.completion;
      batch.first_token.push_back(batch.first_token.back() + completion.tokens.size());
      sampler_known = sampler_known && completion.log_probs.size() == completion.tokens.size();
      batch.sampler_log_probs.insert(batch.sampler_log_probs.end(), completion.log_probs.begin(),
                                     completion.log_probs.end());
    }
    batch.first_rollout.push_back(batch.first_token.size() - 1);
  }
  if (!sampler_known) batch.sampler_log_probs.clear();
  return batch;
}

std::vector<MicroBatch> pack(const StepBatch& batch, Range range, const PackingOptions& options) {
  std::vector<GroupLengths> lengths;
  for (std::size_t g = range.begin; g < range.end; ++g) {
    lengths.push_back({batch.groups[g].prompt.size(), {}});
    for (std::size_t k = 0; k < batch.groups[g].rollouts.size(); ++k) {
      const bool skip =
          options.skip_zero_advantages && batch.advantages[rollout_number(batch, g, k)] == 0;
      lengths.back().responses.push_back(
          skip ? 0 : batch.groups[g].rollouts[k].completion.tokens.size());
    }
  }
  std::vector<MicroBatch> result =
      micro_batches(lengths, options.token_budget, options.share_prefix);
  for (MicroBatch& micro_batch : result) {
    for (GroupSlice& slice : micro_batch) slice.group += range.begin;
  }
  return result;
}

std::vector<TokenGroup> token_groups(const StepBatch& batch, const MicroBatch& micro_batch) {
  std::vector<TokenGroup> result;
  for (const GroupSlice& slice : micro_batch) {
    const ScoredGroup& group = batch.groups[slice.group];
    result.push_back({group.prompt, {}});
    for (const std::size_t response : slice.responses) {
      result.back().responses.push_back(group.rollouts[response].completion.tokens);
    }
  }
  return result;
}

std::vector<std::size_t> token_numbers(const StepBatch& batch, const MicroBatch& micro_batch) {
  std::vector<std::size_t> numbers;
  for_each_rollout(batch, micro_batch, [&](std::size_t, std::size_t rollout) {
    for (std::size_t t = batch.first_token[rollout]; t < batch.first_token[rollout + 1]; ++t) {
      numbers.push_back(t);
    }
  });
  return numbers;
}

std::size_t network_tokens(const StepBatch& batch, const MicroBatch& micro_batch,
                           bool share_prefix) {
  std::size_t total = 0;
  for (const GroupSlice& slice : micro_batch) {
    total += batch.groups[slice.group].prompt.size() * (share_prefix ? 1 : slice.responses.size());
  }
  return total + token_numbers(batch, micro_batch).size();
}

ObjectiveInput TokenTerms::input(std::span<const float> log_probs,
                                 std::span<const float> entropy) const {
  return {.log_probs = log_probs,
          .entropy = entropy,
          .old_log_probs = old_log_probs,
          .sampler_log_probs = sampler_log_probs,
          .reference_log_probs = reference_log_probs,
          .advantages = advantages,
          .coefficients = coefficients,
          .likelihood = likelihood,
          .old_is_sampler = old_is_sampler};
}

TokenTerms token_terms(const StepBatch& batch, const MicroBatch& micro_batch,
                       std::span<const double> coefficients, std::size_t first_group) {
  TokenTerms terms;
  terms.old_is_sampler = batch.old_is_sampler;
  for_each_rollout(batch, micro_batch, [&](std::size_t group, std::size_t rollout) {
    const std::size_t begin = batch.first_token[rollout];
    const std::size_t end = batch.first_token[rollout + 1];
    append(terms.old_log_probs, batch.old_log_probs, begin, end);
    append(terms.sampler_log_probs, batch.sampler_log_probs, begin, end);
    append(terms.reference_log_probs, batch.reference_log_probs, begin, end);
    const bool likelihood = batch.groups[group].rule == AdvantageRule::kWeight;
    const std::size_t length = end - begin;
    terms.advantages.insert(terms.advantages.end(), length,
                            static_cast<float>(batch.advantages[rollout]));
    terms.coefficients.insert(terms.coefficients.end(), length,
                              coefficients[rollout - batch.first_rollout[first_group]]);
    terms.likelihood.insert(terms.likelihood.end(), length, likelihood ? 1 : 0);
  });
  return terms;
}

}  // namespace redqueen
