#include "redqueen/recipes/azr/proposals.h"

#include <fmt/format.h>

#include <algorithm>

#include "redqueen/code_tasks/extraction.h"
#include "redqueen/recipes/azr/chance.h"

namespace redqueen::azr {
namespace {

std::size_t prompt_limit(const AzrSettings& settings) { return settings.max_prompt_bytes; }

// Sources of programs that are not composed themselves (appendix D.2); fewer if the buffers have
// too few.
std::vector<std::string> draw_components(const TaskBuffers& buffers, Rng& rng, int most) {
  const std::size_t count = rng.integer(1, most);
  constexpr int kTries = 32;
  std::vector<std::string> sources;
  for (int i = 0; i < kTries && sources.size() < count; ++i) {
    const code_tasks::CodeTask task = buffers.draw_triplet(rng);
    std::string source = task.source();
    if (task.components == 0 && std::ranges::find(sources, source) == sources.end())
      sources.push_back(std::move(source));
  }
  return sources;
}

// f of the i-th component becomes g_i. A draft that asks for one that cannot be renamed asks for
// none.
void rename_components(std::vector<Draft>& drafts, sandbox::Sandbox& sandbox) {
  std::vector<code_tasks::TransformRequest> requests;
  for (const Draft& draft : drafts) {
    for (std::size_t i = 0; i < draft.components.size(); ++i)
      requests.push_back({.source = draft.components[i], .entry = code_tasks::component_name(i)});
  }
  if (requests.empty()) return;
  const auto sources = transform_programs(sandbox, requests);
  std::size_t k = 0;
  for (Draft& draft : drafts) {
    bool complete = true;
    for (std::string& component : draft.components) {
      complete = complete && sources[k].has_value();
      if (sources[k]) component = *sources[k];
      ++k;
    }
    if (!complete) draft.components.clear();
  }
}

void write_statement(Draft& draft, const code_tasks::PromptSet& prompts,
                     const AzrSettings& settings) {
  if (draft.program) {
    draft.statement = prompts.propose_induction(*draft.program, settings.inputs);
    return;
  }
  while (true) {
    draft.statement = prompts.propose(draft.type, draft.references, draft.components);
    if (draft.statement.size() <= prompt_limit(settings)) return;
    if (draft.references.size() > 1) {
      draft.references.pop_back();
    } else if (!draft.components.empty()) {
      draft.components.clear();
    } else {
      return;
    }
  }
}

// A program about which the proposer of an induction task can be asked within the prompt's limit.
code_tasks::CodeTask draw_program(const TaskBuffers& buffers, Rng& rng,
                                  const code_tasks::PromptSet& prompts,
                                  const AzrSettings& settings) {
  constexpr int kTries = 32;
  for (int i = 0; i < kTries; ++i) {
    code_tasks::CodeTask task = buffers.draw_triplet(rng);
    if (prompts.propose_induction(task, settings.inputs).size() <= prompt_limit(settings))
      return task;
  }
  return zero_task(code_tasks::TaskType::kDeduction);
}

// The programs that a batch of proposals was shown, each once, and their trees.
struct References {
  std::vector<std::string> sources;
  std::map<std::string, std::size_t> places;
  std::vector<code_tasks::LabelledTree> trees;

  explicit References(std::span<const Proposal> proposals) {
    for (const Proposal& proposal : proposals) {
      for (const code_tasks::CodeTask& reference : proposal.draft.references) {
        std::string source = reference.source();
        if (places.try_emplace(source, sources.size()).second) sources.push_back(std::move(source));
      }
    }
  }
};

double mean_difference(const code_tasks::LabelledTree& tree, const Draft& draft,
                       const References& references) {
  double sum = 0;
  int measured = 0;
  for (const code_tasks::CodeTask& reference : draft.references) {
    const code_tasks::LabelledTree& other =
        references.trees[references.places.at(reference.source())];
    if (tree.size() == 0 || other.size() == 0) continue;
    sum += tree_difference(tree, other);
    ++measured;
  }
  return measured == 0 ? 0.0 : sum / measured;
}

}  // namespace

code_tasks::CodeTask TaskBuffers::draw_triplet(Rng& rng) const {
  const TaskBuffer& deduction = (*this)[code_tasks::TaskType::kDeduction];
  const TaskBuffer& abduction = (*this)[code_tasks::TaskType::kAbduction];
  const std::size_t count = deduction.size() + abduction.size();
  if (count == 0) return zero_task(code_tasks::TaskType::kDeduction);
  const std::size_t i = rng.below(count);
  return i < deduction.size() ? deduction[i] : abduction[i - deduction.size()];
}

std::vector<Draft> draft_proposals(code_tasks::TaskType type, std::span<Rng> rngs,
                                   const TaskBuffers& buffers, const code_tasks::PromptSet& prompts,
                                   const AzrSettings& settings, sandbox::Sandbox& sandbox) {
  std::vector<Draft> drafts;
  for (Rng& rng : rngs) {
    Draft draft{.type = type};
    if (type == code_tasks::TaskType::kInduction) {
      draft.program = draw_program(buffers, rng, prompts, settings);
    } else {
      draft.references = buffers[type].sample(rng, settings.references);
      if (draft.references.empty()) draft.references.push_back(zero_task(type));
      if (settings.composite_share > 0 && rng.chance(settings.composite_share))
        draft.components = draw_components(buffers, rng, settings.composite_programs);
    }
    drafts.push_back(std::move(draft));
  }
  rename_components(drafts, sandbox);
  for (Draft& draft : drafts) write_statement(draft, prompts, settings);
  return drafts;
}

tl::expected<code_tasks::Candidate, code_tasks::Reason> read_proposal(
    const Draft& draft, const std::optional<std::string>& answer, const AzrSettings& settings) {
  if (!answer) return tl::make_unexpected(code_tasks::Reason::kNoAnswer);
  const code_tasks::ProposalOptions limits = settings.validation();
  const std::size_t inputs = settings.inputs;
  if (answer->size() > 2 * (limits.max_program_bytes + inputs * limits.max_value_bytes))
    return tl::make_unexpected(code_tasks::Reason::kTooLong);
  code_tasks::Candidate candidate{.task = {.type = draft.type}, .components = draft.components};
  code_tasks::CodeTask& task = candidate.task;
  if (draft.type != code_tasks::TaskType::kInduction) {
    ASSIGN_OR_RETURN(auto found, code_tasks::extract_program_and_input(*answer));
    task.imports = std::move(found.imports);
    task.program = std::move(found.program);
    task.input = std::move(found.input);
    return candidate;
  }
  ASSIGN_OR_RETURN(auto found, code_tasks::extract_inputs_and_message(*answer, settings.inputs));
  task.imports = draft.program->imports;
  task.program = draft.program->program;
  task.components = draft.program->components;
  task.message = std::move(found.message);
  for (std::string& input : found.inputs) task.pairs.push_back({std::move(input), {}});
  return candidate;
}

void validate_proposals(sandbox::Sandbox& sandbox, std::span<Proposal> proposals,
                        std::span<const code_tasks::Candidate> candidates,
                        const code_tasks::ProposalOptions& options,
                        const code_tasks::PromptSet& prompts, const AzrSettings& settings) {
  References references(proposals);
  std::vector<code_tasks::Validated> results =
      validate(sandbox, candidates, options, references.sources, &references.trees);
  std::size_t k = 0;
  for (Proposal& proposal : proposals) {
    if (!proposal.valid()) continue;
    code_tasks::Validated& result = results[k++];
    proposal.reason = result.reason;
    proposal.detail = std::move(result.detail);
    proposal.task = std::move(result.task);
    proposal.measures = result.measures;
    proposal.difference = mean_difference(result.tree, proposal.draft, references);
    if (proposal.valid() && prompts.solve(proposal.task).size() > prompt_limit(settings))
      proposal.reason = code_tasks::Reason::kTooLong;
  }
}

double proposer_reward(const Proposal& proposal, const AzrSettings& settings) {
  if (!proposal.valid()) return wrap_by_form(0, false);
  const double learnable = learnability_above(proposal.success, proposal.answers, proposal.chance);
  // Intrinsic rewards are for tasks that teach: nobody is paid for an unsolvable one.
  if (learnable <= 0) return wrap_by_form(0, true);
  std::vector<double> intrinsic;
  const auto add = [&](double weight, double value) {
    if (weight > 0) intrinsic.push_back(weight * value);
  };
  add(settings.cognitive_weight, saturating(proposal.measures.cognitive, settings.cognitive_scale));
  add(settings.halstead_weight, saturating(proposal.measures.halstead, settings.halstead_scale));
  // A proposer of induction is given the program, and compares it with none.
  if (proposal.draft.type != code_tasks::TaskType::kInduction)
    add(settings.distance_weight, proposal.difference);
  add(settings.diversity_weight, proposal.diversity);
  return wrap_by_form(aggregate(settings.aggregation, learnable, intrinsic), true);
}

}  // namespace redqueen::azr
