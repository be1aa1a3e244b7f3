// Counts what went wrong with a policy, by kind: for run.json, the report and the leaderboard.
#pragma once

#include <cstdint>

#include "redqueen/arena/judge/episode.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {

struct FaultCounts {
  std::int64_t init = 0;             // the policy did not load
  std::int64_t reset = 0;            // reset() raised
  std::int64_t act = 0;              // act() raised
  std::int64_t timeout = 0;          // a limit of time ended the process
  std::int64_t memory = 0;           // the limit of memory ended it
  std::int64_t ended = 0;            // it died, flooded or answered what is no answer
  std::int64_t invalid_actions = 0;  // answers that had to be repaired
  std::int64_t actions = 0;          // answers of the policy

  void add(const EpisodeResult& episode);
  void add(const FaultCounts& other);

  // All but the invalid actions, which end nothing.
  [[nodiscard]] std::int64_t faults() const {
    return init + reset + act + timeout + memory + ended;
  }
  bool operator==(const FaultCounts&) const = default;
};

// An object with a number for each field.
Json to_json(const FaultCounts& counts);
// Takes what is missing for 0: records of earlier versions have no counts.
FaultCounts fault_counts_from_json(const Json& json);

}  // namespace redqueen::arena
