// A run is a directory:
//
//   config.toml     the resolved configuration
//   run.db          events (event_store.h)
//   checkpoints/    step-00000120/ …: what the run needs to go on, and a policy that others can
//                   load
//   lock            held while a process works on the run
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::run {

struct Checkpoint {
  std::int64_t step = 0;  // updates done when it was made
  std::filesystem::path folder;
  bool operator==(const Checkpoint&) const = default;
};

// The complete checkpoints of the run at `run`, oldest first. Needs no lock; empty if there is no
// such run.
std::vector<Checkpoint> checkpoints_of(const std::filesystem::path& run);

// The run at `run`, locked for this process until the object goes. The lock dies with the process,
// however it dies. Movable, not copyable.
class RunDirectory {
 public:
  // Makes a new run. Fails if there is one already, or anything else.
  static Expected<RunDirectory> create(const std::filesystem::path& run,
                                       std::string_view config_toml);

  // Opens a run to go on with it and sweeps what a killed process left behind. Fails if
  // there is no run, or if another process works on it (the message names the process).
  static Expected<RunDirectory> open(const std::filesystem::path& run);

  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&& other) noexcept;
  ~RunDirectory();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config_path() const { return path_ / "config.toml"; }
  std::filesystem::path database_path() const { return path_ / "run.db"; }

  // The newest checkpoint, from which a run is resumed.
  std::optional<Checkpoint> latest_checkpoint() const;

  // Calls `write` with an empty folder to fill, which becomes the checkpoint of `step`
  // (replace_folder()); one that was there is replaced. Then all but the `keep` newest checkpoints
  // are removed (keep ≥ 1). A crash at any point leaves complete checkpoints only.
  Expected<Checkpoint> save_checkpoint(
      std::int64_t step, int keep,
      const std::function<Status(const std::filesystem::path& folder)>& write);

  // Removes all but the `keep` newest checkpoints (keep ≥ 1). A run that was killed after it had
  // saved a checkpoint and before it removed the oldest one has one too many.
  Status remove_old_checkpoints(int keep);

 private:
  RunDirectory(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::filesystem::path checkpoints_path() const { return path_ / "checkpoints"; }

  std::filesystem::path path_;
  int lock_ = -1;  // file descriptor; −1: moved from
};

}  // namespace redqueen::run
