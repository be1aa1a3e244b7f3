#include "redqueen/recipes/azr/azr_metrics.h"

#include <fmt/format.h>

#include <cmath>

namespace redqueen::azr {
namespace {

double tokens_of(const Completion& completion) {
  return static_cast<double>(completion.tokens.size());
}

std::size_t band_of(double success) {
  if (success <= 0) return 0;
  if (success >= 1) return kBands.size() - 1;
  return success <= 1.0 / 3 ? 1 : success <= 2.0 / 3 ? 2 : 3;
}

std::string of(std::string_view what, std::string_view which) {
  return fmt::format("{}/{}", what, which);
}

void add_valid(const Proposal& proposal, StepLog& log) {
  const std::string_view type = name_of(proposal.draft.type);
  log.mean(of("cognitive_complexity", type), proposal.measures.cognitive);
  log.mean(of("halstead_volume", type), proposal.measures.halstead);
  log.mean(of("answer_diversity", type), proposal.diversity);
  if (!proposal.draft.references.empty() && proposal.draft.type != code_tasks::TaskType::kInduction)
    log.mean(of("difference_from_references", type), proposal.difference);
  if (std::isnan(proposal.success)) return;
  log.mean(of("success_rate", type), proposal.success);
  log.mean(of("guess_chance", type), proposal.chance);
  log.mean(of("learnable_tasks", type), proposal.success > 0 && proposal.success < 1);
  for (std::size_t band = 0; band < kBands.size(); ++band)
    log.mean(of("tasks_by_success", kBands[band]), band == band_of(proposal.success));
}

void add_proposals(const TypeOutcome& outcome, StepLog& log) {
  const std::string_view type = name_of(outcome.type);
  for (const std::string_view what :
       {"success_rate", "guess_chance", "learnable_tasks", "cognitive_complexity",
        "halstead_volume", "answer_diversity"})
    log.expect_mean(of(what, type));
  if (outcome.type != code_tasks::TaskType::kInduction)
    log.expect_mean(of("difference_from_references", type));
  for (const Proposal& proposal : outcome.proposals) {
    log.mean(of("valid_proposals", type), proposal.valid());
    log.mean(of("proposer_reward", type), proposal.reward);
    log.mean(of("proposer_tokens", type), tokens_of(proposal.completion));
    log.mean(std::string(run::metric::kReward), proposal.reward);
    log.mean(std::string(run::metric::kResponseTokens), tokens_of(proposal.completion));
    log.mean(std::string(run::metric::kWellFormed), proposal.valid());
    if (proposal.valid()) {
      add_valid(proposal, log);
    } else {
      log.count(of("rejected", name_of(proposal.reason)));
    }
  }
}

void add_answers(const TypeOutcome& outcome, StepLog& log) {
  const std::string_view type = name_of(outcome.type);
  for (const std::string_view what : {"solver_reward", "solver_tokens", "solver_accuracy"})
    log.expect_mean(of(what, type));
  for (const AnsweredTask& answered : outcome.solved) {
    for (std::size_t j = 0; j < answered.completions.size(); ++j) {
      const Verdict verdict = answered.verdicts[j].verdict();
      const double tokens = tokens_of(answered.completions[j]);
      log.mean(of("solver_reward", type), verdict.reward);
      log.mean(of("solver_tokens", type), tokens);
      log.mean(of("solver_accuracy", type), verdict.solved);
      log.mean(std::string(run::metric::kReward), verdict.reward);
      log.mean(std::string(run::metric::kSolved), verdict.solved);
      log.mean(std::string(run::metric::kWellFormed), verdict.well_formed);
      log.mean(std::string(run::metric::kResponseTokens), tokens);
    }
  }
  log.count(of("filled_tasks", type), static_cast<double>(outcome.filled));
  log.count(of("buffer_size", type), static_cast<double>(outcome.buffer));
}

std::string_view fate_of(const Proposal& proposal) {
  if (std::isnan(proposal.success)) return kSeedFate;
  if (proposal.success <= 0) return "never";
  return proposal.success >= 1 ? "always" : "sometimes";
}

Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

run::ItemRecord proposal_item(const Proposal& proposal, std::string name) {
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

run::ItemRecord task_item(const Proposal& proposal) {
  return {.kind = std::string(kTaskItem),
          .name = proposal.task.name(),
          .fate = std::string(fate_of(proposal)),
          .data = Json{{"task", proposal.task.write_json()},
                       {"success", number(proposal.success)},
                       {"chance", proposal.chance},
                       {"cognitive", proposal.measures.cognitive},
                       {"halstead", proposal.measures.halstead},
                       {"difference", proposal.difference},
                       {"diversity", proposal.diversity}}};
}

}  // namespace

void add_azr_metrics(const std::vector<TypeOutcome>& outcomes, const StepSeconds& seconds,
                     StepLog& log) {
  for (const std::string_view band : kBands) log.expect_mean(of("tasks_by_success", band));
  log.expect_mean(std::string(run::metric::kSolved));
  for (const TypeOutcome& outcome : outcomes) {
    add_proposals(outcome, log);
    add_answers(outcome, log);
  }
  log.count("seconds/sampling", seconds.sampling);
  log.count("seconds/sandbox", seconds.sandbox);
  log.count("seconds/waiting", seconds.waiting);
}

std::vector<run::ItemRecord> azr_items(const std::vector<TypeOutcome>& outcomes,
                                       const std::string& origin) {
  std::vector<run::ItemRecord> items;
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

}  // namespace redqueen::azr
