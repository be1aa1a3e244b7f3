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

// The part of a sequence that has to pass the network: nothing is drawn from what comes after.
std::vector<Token> leading(const std::vector<Token>& tokens, std::size_t length) {
  return {tokens.begin(), tokens.begin() + length};
}

std::vector<TokenRun> leading(std::vector<TokenRun> runs, std::size_t length) {
  while (!runs.empty() && runs.back().begin >= length) runs.pop_back();
  return runs;
}

void append(std::vector<float>& target, const std::vector<float>& source, std::size_t begin,
            std::size_t end) {
  if (source.empty()) return;
  target.insert(target.end(), source.begin() + begin, source.begin() + end);
}

// At most what the options allow, and little enough for every process to have a part.
std::size_t budget_for(std::span<const GroupLengths> lengths, const PackingOptions& options) {
  if (options.processes <= 1) return options.micro_batch_tokens;
  std::size_t total = 0;
  std::size_t largest = 1;
  for (const GroupLengths& group : lengths) {
    std::vector<std::size_t> present;
    for (std::size_t k = 0; k < group.responses.size(); ++k) {
      if (group.responses[k] > 0) present.push_back(k);
    }
    if (present.empty()) continue;
    const std::size_t tokens = slice_tokens(group, present, options.share_prefix);
    total += tokens;
    largest = std::max(largest, tokens);
  }
  const std::size_t part = (total + options.processes - 1) / options.processes;
  return std::min(options.micro_batch_tokens, std::max(part, largest));
}

}  // namespace

StepBatch lay_out(std::span<const ScoredGroup> groups, double advantage_epsilon) {
  StepBatch batch{.groups = groups, .first_rollout = {0}, .first_token = {0}};
  batch.advantages = advantages(groups, advantage_epsilon);
  bool sampler_known = true;
  for (const ScoredGroup& group : groups) {
    for (const ScoredRollout& rollout : group.rollouts) {
      const Completion& completion = rollout.completion;
      const std::vector<TokenRun> drawn = drawn_runs(rollout);
      for (const TokenRun& run : drawn) {
        append(batch.sampler_log_probs, completion.log_probs, run.begin, run.end);
      }
      batch.first_token.push_back(batch.first_token.back() + drawn_tokens(rollout));
      batch.lengths.push_back(drawn.empty() ? 0 : drawn.back().end);
      sampler_known = sampler_known && completion.log_probs.size() == completion.tokens.size();
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
      const std::size_t rollout = rollout_number(batch, g, k);
      const bool skip = options.skip_zero_advantages && batch.advantages[rollout] == 0;
      lengths.back().responses.push_back(skip ? 0 : batch.lengths[rollout]);
    }
  }
  std::vector<MicroBatch> result =
      micro_batches(lengths, budget_for(lengths, options), options.share_prefix);
  for (MicroBatch& micro_batch : result) {
    for (GroupSlice& slice : micro_batch) slice.group += range.begin;
  }
  return result;
}

std::vector<MicroBatch> share_of(const StepBatch& batch, std::vector<MicroBatch> all,
                                 const PackingOptions& options, std::size_t rank) {
  if (options.processes <= 1) return all;
  std::vector<std::size_t> sizes;
  for (const MicroBatch& one : all) {
    sizes.push_back(network_tokens(batch, one, options.share_prefix));
  }
  std::vector<MicroBatch> share;
  const auto shares = deal(sizes, options.processes);
  for (const std::size_t m : shares[rank]) share.push_back(std::move(all[m]));
  return share;
}

std::vector<TokenGroup> token_groups(const StepBatch& batch, const MicroBatch& micro_batch) {
  std::vector<TokenGroup> result;
  for (const GroupSlice& slice : micro_batch) {
    const ScoredGroup& group = batch.groups[slice.group];
    result.push_back({group.prompt, {}});
    for (const std::size_t response : slice.responses) {
      const ScoredRollout& rollout = group.rollouts[response];
      const std::size_t length = batch.lengths[rollout_number(batch, slice.group, response)];
      result.back().responses.push_back(leading(rollout.completion.tokens, length));
      result.back().given.push_back(leading(rollout.given, length));
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

TokenPlace place_of(const StepBatch& batch, std::size_t number) {
  const auto last_not_above = [](const std::vector<std::size_t>& firsts, std::size_t value) {
    return static_cast<std::size_t>(std::ranges::upper_bound(firsts, value) - firsts.begin()) - 1;
  };
  const std::size_t rollout = last_not_above(batch.first_token, number);
  TokenPlace place;
  place.group = last_not_above(batch.first_rollout, rollout);
  place.rollout = rollout - batch.first_rollout[place.group];
  std::size_t rest = number - batch.first_token[rollout];
  for (const TokenRun& run : drawn_runs(batch.groups[place.group].rollouts[place.rollout])) {
    place.token = run.begin + rest;
    if (place.token < run.end) break;
    rest -= run.end - run.begin;
  }
  return place;
}

std::size_t network_tokens(const StepBatch& batch, const MicroBatch& micro_batch,
                           bool share_prefix) {
  std::size_t total = 0;
  for (const GroupSlice& slice : micro_batch) {
    total += batch.groups[slice.group].prompt.size() * (share_prefix ? 1 : slice.responses.size());
  }
  for_each_rollout(batch, micro_batch,
                   [&](std::size_t, std::size_t rollout) { total += batch.lengths[rollout]; });
  return total;
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
          .old_is_sampler = old_is_sampler,
          .same_policy = same_policy};
}

TokenTerms token_terms(const StepBatch& batch, const MicroBatch& micro_batch,
                       std::span<const double> coefficients, std::size_t first_group) {
  TokenTerms terms;
  terms.old_is_sampler = batch.old_is_sampler;
  terms.same_policy = batch.same_policy;
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
