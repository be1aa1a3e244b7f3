// Stores the events of a run, step by step: run.db, a SQLite database that any tool can read.
//
// Tables: steps, metrics, curriculum, rollouts, items, evaluations, charts; their columns are the
// members of the structs below.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/run/chart_record.h"
#include "redqueen/run/sqlite.h"

namespace redqueen::run {

// Names of the metrics that all recipes share. A recipe may write others, and describes their
// charts (ChartRecord).
namespace metric {
inline constexpr std::string_view kReward = "reward";  // mean over the sampled rollouts
inline constexpr std::string_view kSolved = "solved";  // share of the sampled rollouts, 0 … 1
inline constexpr std::string_view kWellFormed =
    "well_formed";  // share of the sampled rollouts, 0 … 1
inline constexpr std::string_view kEffectivePrompts =
    "effective_prompt_ratio";                                           // kept / sampled prompts
inline constexpr std::string_view kResponseTokens = "response_tokens";  // mean length of a response
inline constexpr std::string_view kTokensPerSecond =
    "tokens_per_second";  // sampled and trained, end to end
inline constexpr std::string_view kLoss = "loss";
inline constexpr std::string_view kGradientNorm = "gradient_norm";
inline constexpr std::string_view kEntropy = "entropy";
inline constexpr std::string_view kLearningRate = "learning_rate";
}  // namespace metric

struct MetricValue {
  std::string name = "";
  double value = 0;  // NaN is kept as NULL
  bool operator==(const MetricValue&) const = default;
};

// The value of this name; nothing where there was nothing to measure.
std::optional<double> value_of(std::span<const MetricValue> metrics, std::string_view name);

// The curriculum of one environment after a step.
struct CurriculumState {
  std::string environment = "";
  int lower_level = 0;
  int upper_level = 0;
  std::int64_t attempts = 0;  // at the upper level since it last moved
  std::int64_t solved = 0;    // of these
  bool operator==(const CurriculumState&) const = default;
};

// One rollout, kept for people to read. Texts may hold any bytes.
struct RolloutRecord {
  std::int64_t group = 0;  // within the step; rollouts of one group share their prompt
  std::string environment = "";
  int level = 0;
  std::string problem_address = "";  // core/problem_address.h
  std::string prompt = "";
  std::string response = "";
  double reward = 0;
  bool solved = false;
  bool well_formed = false;
  std::int64_t tokens = 0;  // of the response
  // The turns of an episode of several: a list of {"role", "text", "tokens", "reward"}; else null.
  Json turns = {};
  bool operator==(const RolloutRecord&) const = default;
};

// Something that a recipe made and keeps: a task, a proposal, a candidate environment. Texts may
// hold any bytes.
struct ItemRecord {
  std::string kind = "";  // "task", "proposal", "candidate", …
  std::string name = "";  // unique within its kind, where the recipe says so
  std::string fate = "";  // a short word that is counted: "valid", "timeout", "admitted", …
  Json data = {};         // the rest, an object
  bool operator==(const ItemRecord&) const = default;
};

struct StepRecord {
  std::int64_t step = 0;  // 1 is the first
  double time = 0;        // end of the step, seconds since 1970
  double seconds = 0;     // what the step took
  std::vector<MetricValue> metrics = {};
  std::vector<CurriculumState> curriculum = {};  // of every environment
  std::vector<RolloutRecord> rollouts = {};      // a sample is enough
  std::vector<ItemRecord> items = {};
};

// One environment and level of an evaluation.
struct EvaluationRecord {
  std::string policy = "";  // which policy, for people: "before", "after", …
  std::int64_t step = 0;    // updates the policy had had
  std::string suite = "";
  std::string environment = "";
  int level = 0;
  std::int64_t problems = 0;  // responses scored, `samples` of each problem
  std::int64_t solved = 0;    // of them
  double mean_reward = 0;
  int samples = 1;
  std::int64_t passed = 0;          // problems that a response solved; kept where samples > 1
  std::int64_t solved_squares = 0;  // Σ over problems of (responses that solved it)²; likewise
  std::int64_t cut = 0;  // responses that reached their length; −1: a run that did not count them
  // Entry c: problems that c responses solved, from 0 to `samples`; kept where samples > 1.
  std::vector<std::int64_t> by_solved = {};
  bool operator==(const EvaluationRecord&) const = default;
};

struct ItemPoint {
  std::int64_t step = 0;
  ItemRecord item = {};
  bool operator==(const ItemPoint&) const = default;
};

// The number of items of a kind that had a fate in a step.
struct ItemCount {
  std::int64_t step = 0;
  std::string fate = "";
  std::int64_t count = 0;
  bool operator==(const ItemCount&) const = default;
};

struct MetricPoint {
  std::int64_t step = 0;
  double value = 0;
  bool operator==(const MetricPoint&) const = default;
};

struct CurriculumPoint {
  std::int64_t step = 0;
  CurriculumState state = {};
  bool operator==(const CurriculumPoint&) const = default;
};

// Every append is one transaction, on the disk when it returns: a process that is killed loses at
// most the step it was in, and never part of one. One writer; readers may come at any time. Not for
// sharing between threads.
class EventStore {
 public:
  // Opens the database of a run, or makes it. Fails on a file that is no database, or one of a
  // newer version.
  static Expected<EventStore> open(const std::filesystem::path& database);
  // For reports; fails if there is none.
  static Expected<EventStore> open_to_read(const std::filesystem::path& database);

  // A step that is there already is replaced.
  Status append(const StepRecord& step);
  // Replaces what this policy and suite had at another step, and rows that are there already.
  Status append(const std::vector<EvaluationRecord>& evaluation);

  // Adds to the items of `step`: 0 for what was made before the first step.
  Status append(std::int64_t step, const std::vector<ItemRecord>& items);

  // Keeps how the run is drawn, in place of what was kept before.
  Status describe(const std::vector<ChartRecord>& charts);

  // Forgets everything after `step`, for a run that is resumed from the checkpoint of that step.
  Status trim_after(std::int64_t step);

  // 0 if there is none.
  Expected<std::int64_t> last_step();
  // Seconds that all steps took together.
  Expected<double> total_seconds();
  // In alphabetical order.
  Expected<std::vector<std::string>> metric_names();
  // By step.
  Expected<std::vector<MetricPoint>> metric(std::string_view name);
  // By environment, then step.
  Expected<std::vector<CurriculumPoint>> curriculum();
  // Steps that have rollouts, in order.
  Expected<std::vector<std::int64_t>> rollout_steps();
  // Reads the rollouts of one step, in the order they were given.
  Expected<std::vector<RolloutRecord>> rollouts(std::int64_t step);
  // Reads the items of one kind, in the order they were given; with a name, only those of that
  // name.
  Expected<std::vector<ItemPoint>> items(std::string_view kind, std::string_view name = {});
  // Counts the items of one kind, by step, then fate.
  Expected<std::vector<ItemCount>> item_counts(std::string_view kind);
  // Counts the items of a kind and fate by tag, a text in their data["tags"], in `fate`: by step,
  // then tag.
  Expected<std::vector<ItemCount>> tag_counts(std::string_view kind, std::string_view fate);
  // The charts as the run describes them; charts_of_run() where it describes none.
  Expected<std::vector<ChartRecord>> charts();
  // In the order they were made; within one, by environment and level.
  Expected<std::vector<EvaluationRecord>> evaluations();

 private:
  EventStore(Database database, std::int64_t version)
      : database_(std::move(database)), version_(version) {}
  Status forget(std::string_view condition, std::int64_t step);
  Status insert(const StepRecord& step);
  Status insert(std::int64_t step, const std::vector<ItemRecord>& items);

  Database database_;
  std::int64_t version_;  // of the schema
};

}  // namespace redqueen::run
