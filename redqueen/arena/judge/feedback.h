// Writes the feedback to a submission: summary.json, errors.txt, and a folder for each episode.
// Everything is written while it happens, so that memory does not grow with the submission.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "redqueen/arena/judge/episode.h"
#include "redqueen/arena/judge/fault_counts.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {

// The number of digits that submissions and episodes have in names, at least 3.
int number_width(int budget);
std::string numbered(std::string_view prefix, int number, int width);  // "submit_007"

// True if observations of this space go to observations.npy instead of the lines of a trajectory.
bool is_stored_outside(const Space& observation_space);

// One episode's folder: trajectory.jsonl (keys t, obs, action, reward, terminated, truncated, info
// and reward_components, in this order), stdout.txt, stderr.txt, error.txt where the policy raised,
// observations.npy where observations are large.
class EpisodeWriter : public StepSink {
 public:
  EpisodeWriter(std::filesystem::path folder, const SimulatorCard& card);
  void step(const Step& step) override;
  // Fails if any byte did not arrive (a full disk).
  Status finish(const EpisodeResult& result);

 private:
  void append_array(const Array& array);
  void write_array_head();

  std::filesystem::path folder_;
  const SimulatorCard& card_;
  const bool outside_;
  std::ofstream lines_;
  std::ofstream arrays_;
  std::uint64_t rows_ = 0;
};

// The result of a submission, in the protocol's words.
struct SubmissionResult {
  std::string status = "ok";
  std::string reason;                   // why not ok, for people; empty when ok
  std::vector<Json> errors;             // lines of errors.txt
  std::vector<EpisodeResult> episodes;  // played to their end, in order; outputs left out
  FaultCounts faults;                   // of loading, and of an episode that was lost
};

struct SubmissionFacts {
  int index = 0;
  std::string env;
  std::vector<std::int64_t> cases;
  int first_episode = 0;  // number of the first, counted over the run
  int remaining_budget = 0;
  std::string started_at;
  std::string completed_at;
  double wall_seconds = 0;
};

// The content of summary.json.
Json summary_of(const SubmissionFacts& facts, const SubmissionResult& result,
                const std::vector<std::string>& components);

// Mean and population deviation; 0 for none.
double mean_of(const std::vector<double>& values);
double deviation_of(const std::vector<double>& values);

// UTC, "2026-01-31T12:00:00.123Z".
std::string time_now();

}  // namespace redqueen::arena
