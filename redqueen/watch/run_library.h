// Lists the runs below a folder, with their states.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/base/error.h"

namespace redqueen::watch {

enum class RunKind {
  kTraining,  // a folder with a run.db
  kArena,     // a run of the arena (redqueen/arena/judge/run_files.h)
};
inline constexpr auto kRunKinds =
    enum_names<RunKind>({{"training", RunKind::kTraining}, {"arena", RunKind::kArena}});

struct RunPlace {
  std::string name;  // its path below the library's root, with "/" between the parts
  std::filesystem::path folder;
  RunKind kind = RunKind::kTraining;
};

enum class RunState {
  kRunning,   // a process works on it
  kFinished,  // it has all steps that its configuration asks for
  kStopped,   // neither: interrupted, failed, or its configuration names no
              // number of steps
};
inline constexpr auto kRunStates = enum_names<RunState>({{"running", RunState::kRunning},
                                                         {"finished", RunState::kFinished},
                                                         {"stopped", RunState::kStopped}});

// Looks anew each time it is asked; safe to share between threads.
class RunLibrary {
 public:
  explicit RunLibrary(std::filesystem::path root) : root_(std::move(root)) {}

  // By name. The root itself, if it is a run, is the only one and has its folder's name. Links are
  // not followed, and what lies inside a run is none.
  std::vector<RunPlace> list() const;

  // Fails unless list() has this name: no other text becomes a path.
  Expected<RunPlace> find(std::string_view name) const;

 private:
  std::filesystem::path root_;
};

// Returns the name of a run's folder, whatever way its path is written.
std::string name_of_run(const std::filesystem::path& run);

// The state of a run that has made `step` of `steps` steps (0: not known how many).
RunState state_of(const std::filesystem::path& run, std::int64_t step, std::int64_t steps);

}  // namespace redqueen::watch
