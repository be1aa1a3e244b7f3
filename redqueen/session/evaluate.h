// Measures the accuracy of a policy on problems that nobody trains on: salt 0, seeds from 0.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/engine/engine.h"
#include "redqueen/policy/missing_responses.h"
#include "redqueen/policy/policy.h"
#include "redqueen/recipes/rewritten_turns.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/progress.h"
#include "redqueen/run/report/statistics.h"
#include "redqueen/suites/suite.h"

namespace redqueen {

struct EvaluationOptions {
  std::vector<int> levels{0, 1, 2, 3, 4};  // those beyond an environment's highest are left out
  int problems = 50;                       // per environment and level
  int samples = 1;                         // responses to a problem
  PromptFormat format;
  SampleParameters sampling;
  RewrittenHistory rewritten_history = RewrittenHistory::kAnew;
  std::uint64_t seed = 0;        // of the sampling; the problems do not depend on it
  std::string label = "policy";  // EvaluationRecord::policy
  std::int64_t step = 0;         // EvaluationRecord::step
};

// Returns the options of a run's or a command's evaluation: the levels and problems of
// settings.evaluation, or else those of the suite, or else levels 0 to 4 and 50 problems. A level
// that is named twice is asked once. settings.policy.prompt_format is resolved already
// (load_policy.h). Fails if the format is none.
Expected<EvaluationOptions> evaluation_options(const TrainSettings& settings, const Suite& suite);

// The suites that a run's evaluations ask, the first one before all: evaluation.suites, or else
// evaluation.suite, or else curriculum.suite.
std::vector<std::string> evaluation_suites(const TrainSettings& settings);

// Checks a run's evaluations before it trains: refuses suites that are not there, that have one
// name, or that have no problem at these levels.
Status check_evaluations(const TrainSettings& settings, const Engine& engine);

// The data sets whose rows are trained on and asked in evaluations. A file is not split in two, so
// that what is solved of them says nothing of other problems. Suites that cannot be loaded share
// none.
std::vector<std::string> shared_data_sets(const TrainSettings& settings, const Engine& engine);

// The result of an evaluation.
struct EvaluationResult {
  std::vector<run::EvaluationRecord> records;  // one per environment and level, in that order
  MissingResponses missing;                    // they count as wrong
  std::int64_t malformed = 0;                  // answers that have not the form that was asked for
  RewrittenTurns rewritten = {};

  // For people: about responses that did not come, answers that could not be read, and
  // conversations that the chat template rewrote.
  std::vector<std::string> warnings() const;
};

// The suite of a name, with a warning to `progress` about environments that this build lacks.
Expected<Suite> load_suite_with_warning(const Engine& engine, const std::string& name,
                                        run::Progress& progress);

// Told how many of how many problems are done.
using EvaluationObserver = std::function<void(std::size_t done, std::size_t total)>;

// Shows the problems that are done as steps of a stage. `progress` outlives it.
EvaluationObserver evaluation_progress(run::Progress& progress);

// A suite, and how it is asked.
struct SuiteEvaluation {
  Suite suite;
  EvaluationOptions options;
};

// Evaluates on all suites at once, with the `sampling` of the first. The problems that ask once are
// one queue: while there are more, the policy's rows are busy, and answers are judged as they come.
// An environment that answers back is asked turn by turn, as in training (recipes/episodes.h), some
// thousand episodes at a time. A problem that cannot be generated is left out of the counts. Fails
// if a suite has no problem at its levels, if the policy cannot lay out a conversation, and if not
// one response to a suite came.
Expected<std::vector<EvaluationResult>> evaluate_all(Policy& policy,
                                                     std::span<const SuiteEvaluation> evaluations,
                                                     const EvaluationObserver& observer = {});

// The same on one suite.
Expected<EvaluationResult> evaluate(Policy& policy, const Suite& suite,
                                    const EvaluationOptions& options,
                                    const EvaluationObserver& observer = {});

// Sums over records, for a total line.
run::EvaluationRecord total_of(const std::vector<run::EvaluationRecord>& records);

// The 95 % interval of the share solved; several responses to one problem count as what they tell.
run::Interval interval_of(const run::EvaluationRecord& record);

// The share of problems that one of the record's k samples solved (pass@k). Nothing for one sample.
std::optional<double> pass_rate(const run::EvaluationRecord& record);

// pass@j for 1 ≤ j ≤ k: the expected share of problems that one of j of the k samples solves,
// drawn without replacement (Chen et al., "Evaluating Large Language Models Trained on Code",
// 2021, §2.1). Nothing for one sample, other j, and records of runs that did not keep what it
// needs.
std::optional<double> pass_rate(const run::EvaluationRecord& record, int j);

// A table for people: solved of asked, share with its 95 % interval, mean reward, share of
// responses cut at their length, and pass@k where there are several responses to a problem.
std::string evaluation_table(const std::vector<run::EvaluationRecord>& records);

}  // namespace redqueen
