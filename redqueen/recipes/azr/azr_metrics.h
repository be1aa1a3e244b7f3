// What is recorded of a step of self-play: numbers to chart and items to read.
#pragma once

#include <vector>

#include "redqueen/recipes/azr/answers.h"
#include "redqueen/recipes/azr/proposals.h"
#include "redqueen/run/event_store.h"

namespace redqueen {

// All of one type in one step.
struct TypeOutcome {
  TaskType type = TaskType::kDeduction;
  std::vector<Proposal> proposals;
  std::vector<AnsweredTask> solved;  // the batch that the solver trains on
  std::size_t filled = 0;            // of these, drawn from the buffer
  std::size_t buffer = 0;            // size after the step
};

// Seconds of a step. Sampling and sandbox overlap; `waiting` is what sampling had to wait for the sandbox.
struct StepSeconds {
  double sampling = 0;
  double sandbox = 0;
  double waiting = 0;
};

// Names are "what/which": the report draws what belongs together into one chart. Shares and means over nothing are NaN.
std::vector<MetricValue> azr_metrics(const std::vector<TypeOutcome>& outcomes,
                                     const StepSeconds& seconds);

// Every proposal ("proposal", fate: its reason) and every task that came out ("task", fate: whether the solver never,
// sometimes or always solved it, or "seed" before training). `origin` begins the proposals' names.
std::vector<ItemRecord> azr_items(const std::vector<TypeOutcome>& outcomes,
                                  const std::string& origin);

inline constexpr std::string_view kProposalItem = "proposal";
inline constexpr std::string_view kTaskItem = "task";
inline constexpr std::string_view kSeedFate = "seed";

}  // namespace redqueen
