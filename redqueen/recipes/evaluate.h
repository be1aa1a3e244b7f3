// Accuracy of a policy on problems that nobody trains on: salt 0, seeds from 0.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/policy/policy.h"
#include "redqueen/recipes/suite.h"
#include "redqueen/run/event_store.h"

namespace redqueen {

struct EvaluationOptions {
  std::vector<int> levels{0, 1, 2, 3, 4};  // those beyond an environment's highest are left out
  int problems = 50;                       // per environment and level
  PromptFormat format;
  SampleParameters sampling;
  std::uint64_t seed = 0;        // of the sampling; the problems do not depend on it
  std::string label = "policy";  // EvaluationRecord::policy
  std::int64_t step = 0;         // EvaluationRecord::step
};

// Told how many of how many problems are done.
using EvaluationObserver = std::function<void(std::size_t done, std::size_t total)>;

// One record per environment and level, in that order. A problem that cannot be generated is left out of the counts.
Expected<std::vector<EvaluationRecord>> evaluate(Policy& policy, const Suite& suite,
                                                 const EvaluationOptions& options,
                                                 const EvaluationObserver& observer = {});

// Sums over records, for a total line.
EvaluationRecord total_of(const std::vector<EvaluationRecord>& records);

// A table for people: solved of asked, share with its 95 % interval, mean reward.
std::string evaluation_table(const std::vector<EvaluationRecord>& records);

}  // namespace redqueen
