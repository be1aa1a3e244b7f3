// The proposer's side of self-play: what it is asked, and what becomes of its responses.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redqueen/policy/policy.h"
#include "redqueen/recipes/azr/azr_settings.h"
#include "redqueen/recipes/azr/buffer.h"
#include "redqueen/recipes/azr/prompts.h"
#include "redqueen/recipes/azr/reason.h"
#include "redqueen/recipes/azr/validation.h"

namespace redqueen {

// One buffer a type, in the order of TaskType.
class TaskBuffers {
 public:
  explicit TaskBuffers(std::size_t capacity)
      : buffers_{TaskBuffer(capacity), TaskBuffer(capacity), TaskBuffer(capacity),
                 TaskBuffer(capacity)} {}
  TaskBuffer& operator[](TaskType type) { return buffers_[static_cast<std::size_t>(type)]; }
  const TaskBuffer& operator[](TaskType type) const {
    return buffers_[static_cast<std::size_t>(type)];
  }

  // A task from the union of the buffers of kDeduction and kAbduction; of empty ones the zero task.
  [[nodiscard]] CodeTask draw_triplet(Rng& rng) const;

 private:
  std::array<TaskBuffer, kTaskTypes.size()> buffers_;
};

// A proposer's question before it is asked.
struct Draft {
  TaskType type = TaskType::kDeduction;
  std::vector<CodeTask> references;      // that the prompt shows
  std::vector<std::string> components;   // sources of g_0, g_1, … that it shall compose
  std::optional<CodeTask> program = {};  // of kInduction: whose program it is about
  std::string statement;                 // the filled template
};

// Draws references (K of the type's buffer, or the zero task), and for a share of drafts components. References are
// left out until the statement has at most settings.max_prompt_bytes; the first always stays.
std::vector<Draft> draft_proposals(TaskType type, std::span<Rng> rngs, const TaskBuffers& buffers,
                                   const PromptSet& prompts, const AzrSettings& settings,
                                   Sandbox& sandbox);

// A response of the proposer on its way to a task.
struct Proposal {
  Draft draft;
  std::vector<Token> prompt;
  Completion completion;
  Reason reason = Reason::kNoAnswer;  // kValid: `task` is one
  std::string detail;                 // of the reason
  CodeTask task;
  ProgramMeasures measures;
  double difference = 0;  // mean tree_difference from the references; 0 without any
  double diversity = 0;   // 1 − share of its output in the buffer
  // Share of the solver's answers that solve it; NaN: not estimated.
  double success = std::numeric_limits<double>::quiet_NaN();
  double reward = 0;

  [[nodiscard]] bool valid() const { return reason == Reason::kValid; }
};

// Reads `answer`, the text between the answer marks (nullopt: there is none), into what validate() takes; a reason if
// there is nothing to validate.
tl::expected<Candidate, Reason> read_proposal(const Draft& draft,
                                              const std::optional<std::string>& answer,
                                              const AzrSettings& settings);

// Validates the proposals whose reason is kValid so far, with candidates in their order; fills in what came out. A valid
// task whose solver would read more than settings.max_prompt_bytes is too long.
void validate_proposals(Sandbox& sandbox, std::span<Proposal> proposals,
                        std::span<const Candidate> candidates, const ProposalOptions& options,
                        const PromptSet& prompts, const AzrSettings& settings);

// What a valid proposal of this success rate earns: learnability with the intrinsic rewards that are switched on,
// wrapped by form. An invalid one is malformed.
double proposer_reward(const Proposal& proposal, const AzrSettings& settings);

}  // namespace redqueen
