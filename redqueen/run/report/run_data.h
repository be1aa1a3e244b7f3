// A whole run in memory, for reports.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/report/statistics.h"

namespace redqueen::run {

struct SampledStep {
  std::int64_t step = 0;
  std::vector<RolloutRecord> rollouts = {};
};

struct RunData {
  std::string name = "";    // of the directory
  std::string config = "";  // TOML
  std::int64_t steps = 0;
  double seconds = 0;  // that the steps took
  std::map<std::string, std::vector<MetricPoint>> metrics = {};
  std::map<std::string, std::vector<CurriculumPoint>> curriculum = {};  // by environment
  std::vector<SampledStep> samples = {};  // the first and the last steps that have rollouts, few
  std::vector<EvaluationRecord> evaluations = {};
  std::vector<ChartRecord> charts = {};
  std::map<std::string, std::vector<ItemCount>> fates = {};  // of charts of fates, by kind of item
  std::map<std::string, std::vector<ItemCount>> tags = {};   // of charts of tags, by chart's id

  // The values of a metric by step; empty if the run has none.
  const std::vector<MetricPoint>& metric(std::string_view name) const;
};

// Reads a run that may still be going on. Fails if there is none.
Expected<RunData> load_run(const std::filesystem::path& run);

// Evaluations of one suite by one policy, levels of an environment summed up.
struct EvaluationTotal {
  std::int64_t problems = 0;  // responses, as in EvaluationRecord
  std::int64_t solved = 0;
  int samples = 1;
  std::int64_t squares = 0;
  std::int64_t cut = 0;  // as in EvaluationRecord; −1 if a row does not know

  void add(const EvaluationRecord& row);
  double share() const { return static_cast<double>(solved) / static_cast<double>(problems); }
  Interval interval() const;
  // ", 12.5 % cut", for people; empty where it is not known.
  std::string cut_text() const;
};

// [suite][environment or ""][policy]; "" sums up the environments. Policies in the order of their
// evaluation are in policies_of().
using EvaluationTotals =
    std::map<std::string, std::map<std::string, std::map<std::string, EvaluationTotal>>>;
EvaluationTotals total(const std::vector<EvaluationRecord>& evaluations);

std::vector<std::string> policies_of(const std::vector<EvaluationRecord>& evaluations,
                                     std::string_view suite);

// The policies that a table has room for: all, or the first and the last of many.
std::vector<std::string> shown_policies(const std::vector<EvaluationRecord>& evaluations,
                                        std::string_view suite);

// The label of the evaluation before the first step.
inline constexpr std::string_view kBefore = "before";

// Returns the comparable evaluations of a suite: of each run the records of its last policy, and of
// those only the environments, levels and numbers of problems that all runs have. A run that was
// not evaluated after training has none, unless none was.
std::vector<std::vector<EvaluationRecord>> comparable_evaluations(
    std::span<const std::vector<EvaluationRecord>* const> runs, std::string_view suite);

}  // namespace redqueen::run
