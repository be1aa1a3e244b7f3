// Records a step of self-play: numbers to chart and items to read.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/recipes/azr/answers.h"
#include "redqueen/recipes/azr/proposals.h"
#include "redqueen/recipes/step_log.h"
#include "redqueen/run/event_store.h"

namespace redqueen::azr {

// The outcomes of one type in one step.
struct TypeOutcome {
  code_tasks::TaskType type = code_tasks::TaskType::kDeduction;
  std::vector<Proposal> proposals;
  std::vector<AnsweredTask> solved;  // the batch that the solver trains on
  std::size_t filled = 0;            // of these, drawn from the buffer
  std::size_t buffer = 0;            // size after the step
};

// Seconds of a step. Sampling and sandbox overlap; `waiting` is what sampling had to wait for the
// sandbox.
struct StepSeconds {
  double sampling = 0;
  double sandbox = 0;
  double waiting = 0;
};

// Bands of the success rate; the first and the last teach the proposer nothing.
inline constexpr std::array<std::string_view, 5> kBands{"never", "up to a third",
                                                        "up to two thirds", "above", "always"};

// Adds the step's means and counts to the log. Names are "what/which", as azr_charts.cc draws them;
// shares and means over nothing are NaN.
void add_azr_metrics(const std::vector<TypeOutcome>& outcomes, const StepSeconds& seconds,
                     StepLog& log);

// Every proposal ("proposal", fate: its reason) and every task that came out ("task", fate: whether
// the solver never, sometimes or always solved it, or "seed" before training). `origin` begins the
// proposals' names.
std::vector<run::ItemRecord> azr_items(const std::vector<TypeOutcome>& outcomes,
                                       const std::string& origin);

inline constexpr std::string_view kProposalItem = "proposal";
inline constexpr std::string_view kTaskItem = "task";
inline constexpr std::string_view kSeedFate = "seed";

}  // namespace redqueen::azr
