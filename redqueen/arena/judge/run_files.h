// Reads the folder of a run for people who look at it: its record, the changes of each submission,
// the steps of its episodes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {

// run.json of a closed run. A usage error: `run` is no run, or is still open.
Expected<Json> record_of_run(const std::filesystem::path& run);

// The record of a run that is open, in the same words, as far as its agent knows it: "status" is
// "open", and there is nothing of hidden cases.
Expected<Json> record_of_open_run(const std::filesystem::path& run);

// True if `folder` holds a run, closed or open.
bool is_arena_run(const std::filesystem::path& folder);

// The process that judges the run; nothing if there is none. That process must not call this, which
// closes the ledger and would so release its lock.
std::optional<std::int64_t> working_judge(const std::filesystem::path& run);

// Lines that `after` lacks ("-"), has anew ("+"), and a few around them (" "); the longest common
// subsequence stays. Texts of more than 2,000 lines are compared as wholes.
struct LineDiff {
  int added = 0;
  int removed = 0;
  std::vector<std::string> lines;
};
LineDiff diff_lines(const std::string& before, const std::string& after);

using Sources = std::map<std::string, std::string>;  // by their paths

// The sources (*.py) of submission `submit`; none if its checkpoint cannot be read. `width`:
// number_width() of the run's budget (feedback.h).
Sources sources_of(const std::filesystem::path& run, int submit, int width);

// The sources of submission `submit` that differ from those of the one before; of the first, all.
struct FileChange {
  std::string path;
  LineDiff diff;
};
std::vector<FileChange> changes_of(const std::filesystem::path& run, int submit, int width);

// The steps of an episode. Values that are no number are NaN.
struct Trajectory {
  std::string name;
  std::vector<double> steps;
  std::vector<double> rewards;                    // so far; as long as steps
  std::vector<std::vector<double>> observations;  // of each number, as long as steps; none where an
                                                  // observation is of more than 6, or no list
};

// The first `most` episodes of a submission, as its feedback has them. That lies where the agent
// may write: links and special files are passed over, and so is what is very long.
std::vector<Trajectory> trajectories_of(const std::filesystem::path& run, int submit, int width,
                                        std::size_t most);

// The actions of one of these episodes ("ep_012"), as the policy returned them. A failure: there is
// no trajectory, or none that can be read.
Expected<std::vector<Json>> actions_of(const std::filesystem::path& run, int submit, int width,
                                       const std::string& episode);

// The summary of a finished submission as the judge's ledger has it, whatever became of the
// feedback.
Expected<Json> summary_of_submission(const std::filesystem::path& run, int submit);

}  // namespace redqueen::arena
