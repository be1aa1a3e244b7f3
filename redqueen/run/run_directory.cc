#include "redqueen/run/run_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/run/working_process.h"

namespace redqueen::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";

std::string checkpoint_name(std::int64_t step) { return fmt::format("{}{:08}", kPrefix, step); }

std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0) return std::nullopt;
  return step;
}

// What a folder holds; nothing if it cannot be read.
std::vector<fs::path> entries_of(const fs::path& folder) {
  return list_folder(folder).value_or(std::vector<fs::path>());
}

// A lock on the file's first byte. Record locks, not flock(): a forked child does not inherit them,
// so that no stray worker can keep a dead run locked.
struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = 0;
  lock.l_len = 1;
  return lock;
}

Expected<int> acquire_lock(const fs::path& run) {
  const fs::path path = run / "lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return path_error(path, "cannot be opened", errno);
  struct flock lock = whole_file(F_WRLCK);
  if (::fcntl(file, F_SETLK, &lock) == 0) return file;
  const int error = errno;
  struct flock holder = whole_file(F_WRLCK);
  ::fcntl(file, F_GETLK, &holder);
  ::close(file);
  if (error != EACCES && error != EAGAIN)
    return failure("{}: cannot be locked ({})", path.string(), system_reason(error));
  return usage_error("{}: process {} is working on this run; wait for it to end, or stop it",
                     run.string(), holder.l_pid);
}

// A run that was killed while it was being made may be made again.
Status check_is_free(const fs::path& run) {
  if (is_there(run / "config.toml")) {
    return usage_error(
        "{}: there is a run already; go on with it by --resume, or choose another name",
        run.string());
  }
  for (const fs::path& entry : entries_of(run)) {
    const std::string name = entry.filename().string();
    if (name != "lock" && name != "checkpoints" && !is_leftover(name)) {
      return usage_error("{}: the folder is not empty and holds no run; choose another name",
                         run.string());
    }
  }
  return {};
}

// Sweeps the folder of a run, those in it and those of the best policies: wherever a run replaces
// something.
Status sweep_run(const fs::path& run) {
  // Earlier versions wrote these beside the files of a run.
  for (const char* name :
       {"config.toml.next", "metrics.csv.unfinished", "metrics.jsonl.unfinished"}) {
    std::error_code ignored;
    fs::remove(run / name, ignored);
  }
  RETURN_IF_ERROR(sweep_leftovers(run));
  for (const fs::path& top : {run, run / "best"}) {
    for (const fs::path& entry : entries_of(top)) {
      std::error_code ignored;
      if (!fs::is_symlink(entry, ignored)) RETURN_IF_ERROR(sweep_leftovers(entry));
    }
  }
  return {};
}

}  // namespace

std::optional<std::int64_t> working_process(const fs::path& run) {
  const int file = ::open((run / "lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct flock holder = whole_file(F_WRLCK);
  const bool known = ::fcntl(file, F_GETLK, &holder) == 0;
  ::close(file);
  if (!known || holder.l_type == F_UNLCK) return std::nullopt;
  return holder.l_pid;
}

std::vector<Checkpoint> checkpoints_of(const fs::path& run) {
  std::vector<Checkpoint> checkpoints;
  for (const fs::path& entry : entries_of(run / "checkpoints")) {
    const auto step = step_of(entry.filename().string());
    if (step && is_folder(entry)) checkpoints.push_back({*step, entry});
  }
  std::ranges::sort(checkpoints, {}, &Checkpoint::step);
  return checkpoints;
}

Expected<RunDirectory> RunDirectory::create(const fs::path& run, std::string_view config_toml) {
  const Status made =
      check_is_free(run).and_then([&] { return make_folders(run / "checkpoints"); });
  if (!made) return tl::make_unexpected(made.error());
  ASSIGN_OR_RETURN(int lock, acquire_lock(run));
  RunDirectory directory(run, lock);
  // Again: another process may have been faster before the lock was ours.
  const Status written =
      check_is_free(run).and_then([&] { return sweep_leftovers(run); }).and_then([&] {
        return replace_file(directory.config_path(), config_toml);
      });
  if (!written) return tl::make_unexpected(written.error());
  return directory;
}

Expected<RunDirectory> RunDirectory::open(const fs::path& run) {
  if (!is_there(run / "config.toml")) {
    return usage_error("{}: there is no run here (no config.toml)", run.string());
  }
  ASSIGN_OR_RETURN(int lock, acquire_lock(run));
  RunDirectory directory(run, lock);
  RETURN_IF_ERROR(make_folders(directory.checkpoints_path()));
  RETURN_IF_ERROR(sweep_run(run));
  return directory;
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

RunDirectory& RunDirectory::operator=(RunDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

std::optional<Checkpoint> RunDirectory::latest_checkpoint() const {
  const std::vector<Checkpoint> all = checkpoints_of(path_);
  return all.empty() ? std::nullopt : std::optional(all.back());
}

Expected<Checkpoint> RunDirectory::save_checkpoint(
    std::int64_t step, int keep, const std::function<Status(const fs::path&)>& write) {
  const fs::path folder = checkpoints_path() / checkpoint_name(step);
  RETURN_IF_ERROR(replace_folder(folder, write));
  RETURN_IF_ERROR(remove_old_checkpoints(keep));
  return Checkpoint{step, folder};
}

Status RunDirectory::remove_old_checkpoints(int keep) {
  const std::vector<Checkpoint> all = checkpoints_of(path_);
  const std::size_t kept = static_cast<std::size_t>(std::max(keep, 1));
  for (std::size_t i = 0; i + kept < all.size(); ++i) {
    RETURN_IF_ERROR(remove_folder(all[i].folder));
  }
  return {};
}

}  // namespace redqueen::run
