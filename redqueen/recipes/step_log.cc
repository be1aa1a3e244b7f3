#include "redqueen/recipes/step_log.h"

#include <iterator>

namespace redqueen {

void StepLog::count_rewritten(const RewrittenTurns& rewritten) {
  if (rewritten.turns == 0) return;
  count("rewritten_turns", static_cast<double>(rewritten.turns));
  if (rewritten.left_out > 0) count("untrained_episodes", static_cast<double>(rewritten.left_out));
  sampled(rewritten.tokens);
  if (!remark_.empty()) return;
  remark_ = rewritten.sentence();
  if (rewritten.history == RewrittenHistory::kAnew)
    remark_ += ". Of such an episode, training takes the last of these turns and those after it";
  if (rewritten.left_out > 0) {
    remark_ +=
        ", and none of an episode whose conversation by now begins otherwise than those of its "
        "group";
  }
}

void StepLog::answered(const ScoredRollout& rollout) {
  const std::int64_t tokens = drawn_tokens(rollout);
  sampled(tokens);
  mean(std::string(run::metric::kReward), rollout.reward);
  mean(std::string(run::metric::kSolved), rollout.solved);
  mean(std::string(run::metric::kWellFormed), rollout.well_formed);
  mean(std::string(run::metric::kResponseTokens), static_cast<double>(tokens));
  mean("cut_responses", rollout.completion.finish == FinishReason::kLength);
}

void StepLog::record(run::RolloutRecord record, const ScoredRollout& rollout) {
  if (!has_place()) return;
  record.response = rollout.completion.text;
  record.reward = rollout.reward;
  record.solved = rollout.solved;
  record.well_formed = rollout.well_formed;
  record.tokens = drawn_tokens(rollout);
  rollouts_.push_back(std::move(record));
}

std::vector<run::MetricValue> StepLog::metrics() const {
  std::vector<run::MetricValue> metrics;
  for (const auto& [name, sum] : means_)  // 0 / 0 is NaN: the mean of nothing
    metrics.push_back({name, sum.total / static_cast<double>(sum.values)});
  for (const auto& [name, total] : counts_) metrics.push_back({name, total});
  return metrics;
}

void StepLog::write(RecipeBatch& batch) && {
  for (run::MetricValue& value : metrics()) batch.metrics.push_back(std::move(value));
  std::ranges::move(rollouts_, std::back_inserter(batch.rollouts));
  batch.sampled_tokens += tokens_;
  batch.missing.add(missing_);
  if (batch.remark.empty()) batch.remark = std::move(remark_);
}

}  // namespace redqueen
