// Diagnostics over many runs (EvoPolicyGym, sections 4 and 5, appendix C): the tables and figures
// that
// compare how agents spent their budgets, from the runs' own records and checkpoints.
#pragma once

#include <filesystem>

#include "redqueen/arena/judge/leaderboard.h"
#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::arena {

// Reads all closed runs FOLDER/AGENT/ENVIRONMENT/EXPERIMENT. `table` is collect_results() of the
// same
// folder. Groups are the tasks of Core16 where structure decides ("synthesis") and the others
// ("tuning"); whatever has nothing to count is null.
//
// {"environments": [{"id", "group"}],
//  "means":          {agent: {env: held-out mean, null without a score}}            (table 1)
//  "random_to_best": {agent: {env: between 0 and 1}}, null without a random policy   (table 8)
//  "groups":         {agent: {group: mean of these}}, null likewise                  (figure 4)
//  "structure":      {agent: {group: means of the selected programs' features}}      (table 3)
//  "edits":          {agent: {group: {kind: {"edits", "hits", "hit_rate"}}}}         (table 4)
//  "tokens":         {agent: {env: {"input", "cache", "output"}}}                    (table 9)
//  "runs":           [{"agent", "env", "experiment", "score", "selected", "curve", "edits",
//                      "audit"}]                                           (figures 3, 5, 6 and 7)
//  "edit_sizes":     [{"least", "most", "transitions", "improved"}]}                 (figure 8)
//
// An edit is a validated submission after the first, as diagnose_run() sorts it, with
// "budget_used",
// "episodes", "mean_return" and what went wrong in its training episodes. Its size is the number of
// lines added and removed; it improved if its validation mean is above that of the submission
// before.
Expected<Json> study_runs(const std::filesystem::path& folder, const ResultTable& table,
                          sandbox::Sandbox& sandbox);

// Writes OUT/index.html and OUT/study.json; returns the page.
Expected<std::filesystem::path> write_study(const Json& study, const std::filesystem::path& out);

}  // namespace redqueen::arena
