// Records a step of GenEnv: numbers to chart, and items to read and to export.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/recipes/episodes.h"
#include "redqueen/recipes/genenv/genenv_settings.h"
#include "redqueen/recipes/genenv/task_writer.h"
#include "redqueen/recipes/step_log.h"
#include "redqueen/run/event_store.h"

namespace redqueen::genenv {

// The source of a task that the agent is asked.
enum class Origin : std::uint8_t { kFresh, kOld, kBase };
inline constexpr auto kOriginNames =
    enum_names<Origin>({{"fresh", Origin::kFresh}, {"old", Origin::kOld}, {"base", Origin::kBase}});

// A task with the agent's attempts at it.
struct AskedTask {
  Origin origin = Origin::kFresh;
  Task task;
  EpisodeGroup played = {};  // rewards are those of rewards.h
  Tally tally = {};

  // True if one of its traces belongs into D_train, having the form that was asked for.
  [[nodiscard]] bool has_valid_trace() const;
};

// Items: every generation (fate: "valid", or why not), and every task that was asked, with its
// valid traces (fate: whether it was solved never, sometimes or always).
inline constexpr std::string_view kGenerationItem = "generation";
inline constexpr std::string_view kTaskItem = "task";
inline constexpr std::array<std::string_view, 3> kFates{"never", "sometimes", "always"};

// `origin` begins the names: the step, as a rule.
std::vector<run::ItemRecord> generation_items(const std::vector<TaskBatch>& batches,
                                              const std::string& origin);
std::vector<run::ItemRecord> task_items(const std::vector<AskedTask>& tasks,
                                        const std::string& origin);

// Means and counts, named "what/which" as genenv_charts.cc draws them.
void add_genenv_metrics(const std::vector<TaskBatch>& batches, const std::vector<AskedTask>& tasks,
                        const GenEnvSettings& genenv, StepLog& log);

}  // namespace redqueen::genenv
