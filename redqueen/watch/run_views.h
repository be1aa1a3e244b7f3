// Renders a run as JSON for a page or any other program. docs/watch.md describes the forms.
//
// Texts of unknown origin (prompts, responses, sources) are valid UTF-8 in all of them, with
// control characters pictured and at most kMostCharacters (readable.h) long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/run/event_browser.h"
#include "redqueen/watch/run_library.h"

namespace redqueen::watch {

// One line of a list of runs: {"name", "kind", "recipe", "state", "step", "steps", "seconds",
// "updated", "reward", "solved"}. A run that cannot be read has "error" instead of what is unknown.
Json summary_of(const RunPlace& run);

// Lists the charts, metrics, environments, kinds of items and the configuration that the other
// views can be asked of.
Expected<Json> overview_of(const RunPlace& run);

// {"metrics": {NAME: {"steps": […], "values": […]}}}: those of `names`, or all, of about `points`
// points each (thinning.h).
Expected<Json> metrics_view(const RunPlace& run, const std::vector<std::string>& names,
                            std::size_t points);

// Levels over steps: their mean and range over environments, and of every environment the steps at
// which something changed.
Expected<Json> levels_view(const RunPlace& run);

Expected<Json> rollouts_view(const RunPlace& run, const run::RolloutQuery& query);
Expected<Json> items_view(const RunPlace& run, const run::ItemQuery& query);

// Charts of fates and tags as tables by windows of steps: {CHART: {"columns", "totals", "rows"}}.
Expected<Json> fates_view(const RunPlace& run);

// Shares solved with their 95 % intervals: by suite, environment and policy, and over steps.
Expected<Json> evaluations_view(const RunPlace& run);

// Several runs side by side: evaluations of what all were asked, and the settings that differ.
Expected<Json> comparison_view(const std::vector<RunPlace>& runs);

}  // namespace redqueen::watch
