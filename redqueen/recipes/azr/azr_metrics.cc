#include "redqueen/recipes/azr/azr_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace redqueen {
namespace {

// A mean that knows when it is of nothing.
struct Mean {
  double sum = 0;
  double count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  void add(const Mean& other) {
    sum += other.sum;
    count += other.count;
  }
  double value() const { return count == 0 ? std::nan("") : sum / count; }
};

double tokens_of(const Completion& completion) {
  return static_cast<double>(completion.tokens.size());
}

// Bands of the success rate; the first and the last teach the proposer nothing.
constexpr std::array<std::string_view, 5> kBands{"never", "up to a third", "up to two thirds",
                                                 "above", "always"};
std::size_t band_of(double success) {
  if (success <= 0) return 0;
  if (success >= 1) return kBands.size() - 1;
  return success <= 1.0 / 3 ? 1 : success <= 2.0 / 3 ? 2 : 3;
}

class Metrics {
 public:
  void set(std::string_view what, std::string_view which, double value) {
    values_.push_back({fmt::format("{}/{}", what, which), value});
  }
  void set(std::string_view name, double value) { values_.push_back({std::string(name), value}); }
  std::vector<MetricValue> take() { return std::move(values_); }

 private:
  std::vector<MetricValue> values_;
};

struct Totals {
  Mean reward, solved, well_formed, tokens;
  std::array<Mean, kBands.size()> bands;
  std::map<std::string_view, double> rejected;
};

void add_proposals(const TypeOutcome& outcome, Metrics& metrics, Totals& totals) {
  const std::string_view type = name_of(outcome.type);
  Mean valid, reward, tokens, success, learnable, cognitive, halstead, difference, diversity;
  for (const Proposal& proposal : outcome.proposals) {
    valid.add(proposal.valid() ? 1 : 0);
    reward.add(proposal.reward);
    tokens.add(tokens_of(proposal.completion));
    if (!proposal.valid()) {
      totals.rejected[name_of(proposal.reason)] += 1;
      continue;
    }
    cognitive.add(proposal.measures.cognitive);
    halstead.add(proposal.measures.halstead);
    diversity.add(proposal.diversity);
    if (!proposal.draft.references.empty()) difference.add(proposal.difference);
    if (std::isnan(proposal.success)) continue;
    success.add(proposal.success);
    learnable.add(proposal.success > 0 && proposal.success < 1 ? 1 : 0);
    for (std::size_t band = 0; band < kBands.size(); ++band)
      totals.bands[band].add(band == band_of(proposal.success) ? 1 : 0);
  }
  metrics.set("valid_proposals", type, valid.value());
  metrics.set("proposer_reward", type, reward.value());
  metrics.set("proposer_tokens", type, tokens.value());
  metrics.set("success_rate", type, success.value());
  metrics.set("learnable_tasks", type, learnable.value());
  metrics.set("cognitive_complexity", type, cognitive.value());
  metrics.set("halstead_volume", type, halstead.value());
  if (outcome.type != TaskType::kInduction)
    metrics.set("difference_from_references", type, difference.value());
  metrics.set("answer_diversity", type, diversity.value());
  totals.reward.add(reward);
  totals.tokens.add(tokens);
  totals.well_formed.add(valid);
}

void add_answers(const TypeOutcome& outcome, Metrics& metrics, Totals& totals) {
  const std::string_view type = name_of(outcome.type);
  Mean reward, tokens, solved, well_formed;
  for (const AnsweredTask& answered : outcome.solved) {
    for (std::size_t j = 0; j < answered.completions.size(); ++j) {
      const Verdict verdict = answered.verdicts[j].verdict();
      reward.add(verdict.reward);
      tokens.add(tokens_of(answered.completions[j]));
      solved.add(verdict.solved ? 1 : 0);
      well_formed.add(verdict.well_formed ? 1 : 0);
    }
  }
  metrics.set("solver_reward", type, reward.value());
  metrics.set("solver_tokens", type, tokens.value());
  metrics.set("solver_accuracy", type, solved.value());
  metrics.set("filled_tasks", type, static_cast<double>(outcome.filled));
  metrics.set("buffer_size", type, static_cast<double>(outcome.buffer));
  totals.reward.add(reward);
  totals.tokens.add(tokens);
  totals.solved.add(solved);
  totals.well_formed.add(well_formed);
}

std::string_view fate_of(const Proposal& proposal) {
  if (std::isnan(proposal.success)) return kSeedFate;
  if (proposal.success <= 0) return "never";
  return proposal.success >= 1 ? "always" : "sometimes";
}

Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

ItemRecord proposal_item(const Proposal& proposal, std::string name) {
  constexpr std::size_t kMaxResponse = 4096;
  Json data{{"type", name_of(proposal.draft.type)},
            {"detail", proposal.detail},
            {"reward", proposal.reward},
            {"success", number(proposal.success)},
            {"tokens", proposal.completion.tokens.size()}};
  if (proposal.valid()) {
    data["task"] = proposal.task.name();
  } else {
    data["response"] = proposal.completion.text.substr(0, kMaxResponse);
  }
  return {.kind = std::string(kProposalItem),
          .name = std::move(name),
          .fate = std::string(name_of(proposal.reason)),
          .data = std::move(data)};
}

ItemRecord task_item(const Proposal& proposal) {
  return {.kind = std::string(kTaskItem),
          .name = proposal.task.name(),
          .fate = std::string(fate_of(proposal)),
          .data = Json{{"task", proposal.task.write_json()},
                       {"success", number(proposal.success)},
                       {"cognitive", proposal.measures.cognitive},
                       {"halstead", proposal.measures.halstead},
                       {"difference", proposal.difference},
                       {"diversity", proposal.diversity}}};
}

}  // namespace

std::vector<MetricValue> azr_metrics(const std::vector<TypeOutcome>& outcomes,
                                     const StepSeconds& seconds) {
  Metrics metrics;
  Totals totals;
  for (const TypeOutcome& outcome : outcomes) {
    add_proposals(outcome, metrics, totals);
    add_answers(outcome, metrics, totals);
  }
  for (std::size_t band = 0; band < kBands.size(); ++band)
    metrics.set("tasks_by_success", kBands[band], totals.bands[band].value());
  for (const auto& [reason, count] : totals.rejected) metrics.set("rejected", reason, count);
  metrics.set(metric::kReward, totals.reward.value());
  metrics.set(metric::kSolved, totals.solved.value());
  metrics.set(metric::kWellFormed, totals.well_formed.value());
  metrics.set(metric::kResponseTokens, totals.tokens.value());
  metrics.set("seconds", "sampling", seconds.sampling);
  metrics.set("seconds", "sandbox", seconds.sandbox);
  metrics.set("seconds", "waiting", seconds.waiting);
  return metrics.take();
}

std::vector<ItemRecord> azr_items(const std::vector<TypeOutcome>& outcomes,
                                  const std::string& origin) {
  std::vector<ItemRecord> items;
  for (const TypeOutcome& outcome : outcomes) {
    for (std::size_t k = 0; k < outcome.proposals.size(); ++k) {
      const Proposal& proposal = outcome.proposals[k];
      items.push_back(
          proposal_item(proposal, fmt::format("{}/{}/{}", origin, name_of(outcome.type), k)));
      if (proposal.valid()) items.push_back(task_item(proposal));
    }
  }
  return items;
}

}  // namespace redqueen
