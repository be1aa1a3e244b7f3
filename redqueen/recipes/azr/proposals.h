// The proposer's side of self-play: drafts its questions, and reads, validates and rewards its
// responses.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redqueen/code_tasks/prompts.h"
#include "redqueen/code_tasks/reason.h"
#include "redqueen/code_tasks/validation.h"
#include "redqueen/policy/policy.h"
#include "redqueen/recipes/azr/azr_settings.h"
#include "redqueen/recipes/azr/buffer.h"

namespace redqueen::azr {

// One buffer a type, in the order of TaskType.
class TaskBuffers {
 public:
  explicit TaskBuffers(std::size_t capacity)
      : buffers_{TaskBuffer(capacity), TaskBuffer(capacity), TaskBuffer(capacity),
                 TaskBuffer(capacity)} {}
  TaskBuffer& operator[](code_tasks::TaskType type) {
    return buffers_[static_cast<std::size_t>(type)];
  }
  const TaskBuffer& operator[](code_tasks::TaskType type) const {
    return buffers_[static_cast<std::size_t>(type)];
  }

  // A task from the union of the buffers of kDeduction and kAbduction; of empty ones the zero task.
  [[nodiscard]] code_tasks::CodeTask draw_triplet(Rng& rng) const;

 private:
  std::array<TaskBuffer, code_tasks::kTaskTypes.size()> buffers_;
};

// A proposer's question before it is asked.
struct Draft {
  code_tasks::TaskType type = code_tasks::TaskType::kDeduction;
  std::vector<code_tasks::CodeTask> references;  // that the prompt shows
  std::vector<std::string> components;           // sources of g_0, g_1, … that it shall compose
  std::optional<code_tasks::CodeTask> program = {};  // of kInduction: whose program it is about
  std::string statement;                             // the filled template
};

// Draws references (K of the type's buffer, or the zero task), and for a share of drafts
// components. References are left out until the statement has at most settings.max_prompt_bytes;
// the first always stays.
std::vector<Draft> draft_proposals(code_tasks::TaskType type, std::span<Rng> rngs,
                                   const TaskBuffers& buffers, const code_tasks::PromptSet& prompts,
                                   const AzrSettings& settings, sandbox::Sandbox& sandbox);

// A response of the proposer on its way to a task.
struct Proposal {
  Draft draft;
  std::vector<Token> prompt;
  Completion completion;
  code_tasks::Reason reason = code_tasks::Reason::kNoAnswer;  // kValid: `task` is one
  std::string detail;                                         // of the reason
  code_tasks::CodeTask task;
  code_tasks::ProgramMeasures measures;
  double difference = 0;  // mean tree_difference from the references; 0 without any
  double diversity = 0;   // 1 − share of its output in the buffer
  // Share of the solver's answers that solve it; NaN: not estimated.
  double success = std::numeric_limits<double>::quiet_NaN();
  int answers = 0;    // from which success was estimated
  double chance = 0;  // share of guesses that solve it (chance.h); 0: not estimated
  double reward = 0;

  [[nodiscard]] bool valid() const { return reason == code_tasks::Reason::kValid; }
};

// Reads `answer`, the text between the answer marks (nullopt: there is none), into what validate()
// takes; a reason if there is nothing to validate.
tl::expected<code_tasks::Candidate, code_tasks::Reason> read_proposal(
    const Draft& draft, const std::optional<std::string>& answer, const AzrSettings& settings);

// Validates the proposals whose reason is kValid so far, with candidates in their order; fills in
// what came out. A valid task whose solver would read more than settings.max_prompt_bytes is too
// long.
void validate_proposals(sandbox::Sandbox& sandbox, std::span<Proposal> proposals,
                        std::span<const code_tasks::Candidate> candidates,
                        const code_tasks::ProposalOptions& options,
                        const code_tasks::PromptSet& prompts, const AzrSettings& settings);

// Rewards a proposal by its success rate: learnability with the intrinsic rewards that are switched
// on, wrapped by form. An invalid proposal is malformed.
double proposer_reward(const Proposal& proposal, const AzrSettings& settings);

}  // namespace redqueen::azr
