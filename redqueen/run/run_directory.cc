#include "redqueen/run/run_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "redqueen/base/file_queries.h"
#include "redqueen/run/working_process.h"

namespace redqueen::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kUnfinished = ".unfinished-";  // being written, or being removed

std::string checkpoint_name(std::int64_t step) { return fmt::format("{}{:08}", kPrefix, step); }

std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0) return std::nullopt;
  return step;
}

// Makes a file, or the entries of a directory, survive a loss of power.
Status sync(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failure("{}: cannot be opened ({})", path.string(), system_reason(errno));
  const int result = ::fsync(file);
  const int error = errno;
  ::close(file);
  // Some file systems cannot sync directories; they need not.
  if (result != 0 && error != EINVAL) {
    return failure("{}: cannot be written to the disk ({})", path.string(), system_reason(error));
  }
  return {};
}

Status sync_tree(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->is_regular_file() && !entry->is_directory()) continue;
    if (auto status = sync(entry->path()); !status) return status;
  }
  if (error) return failure("{}: cannot be listed ({})", folder.string(), error.message());
  return sync(folder);
}

Status move_to(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error)
    return failure("{}: cannot be renamed to {} ({})", from.string(), to.string(), error.message());
  return {};
}

Status remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return failure("{}: cannot be removed ({})", path.string(), error.message());
  return {};
}

// Renamed first: a half-removed checkpoint must not look like one.
Status remove_checkpoint(const fs::path& folder) {
  const fs::path doomed =
      folder.parent_path() / (std::string(kUnfinished) + folder.filename().string() + "-old");
  return remove_tree(doomed).and_then([&] { return move_to(folder, doomed); }).and_then([&] {
    return remove_tree(doomed);
  });
}

// What a folder holds; nothing if it cannot be read.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  return entries;
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
  if (file < 0) return failure("{}: cannot be opened ({})", path.string(), system_reason(errno));
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

// The file is there whole or not at all.
Status write_file(const fs::path& path, std::string_view content) {
  const fs::path unfinished =
      path.parent_path() / (std::string(kUnfinished) + path.filename().string());
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (!file)
    return failure("{}: cannot be written ({})", unfinished.string(), system_reason(errno));
  return sync(unfinished).and_then([&] { return move_to(unfinished, path); }).and_then([&] {
    return sync(path.parent_path());
  });
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
    if (name != "lock" && name != "checkpoints" && !name.starts_with(kUnfinished)) {
      return usage_error("{}: the folder is not empty and holds no run; choose another name",
                         run.string());
    }
  }
  return {};
}

Status make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return failure("{}: cannot be created ({})", path.string(), error.message());
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
    std::error_code ignored;
    if (step && fs::is_directory(entry, ignored)) checkpoints.push_back({*step, entry});
  }
  std::ranges::sort(checkpoints, {}, &Checkpoint::step);
  return checkpoints;
}

Expected<RunDirectory> RunDirectory::create(const fs::path& run, std::string_view config_toml) {
  const Status made =
      check_is_free(run).and_then([&] { return make_directories(run / "checkpoints"); });
  if (!made) return tl::make_unexpected(made.error());
  ASSIGN_OR_RETURN(int lock, acquire_lock(run));
  RunDirectory directory(run, lock);
  // Again: another process may have been faster before the lock was ours.
  const Status written =
      check_is_free(run).and_then([&] { return write_file(directory.config_path(), config_toml); });
  if (!written) return tl::make_unexpected(written.error());
  return directory;
}

Expected<RunDirectory> RunDirectory::open(const fs::path& run) {
  if (!is_there(run / "config.toml")) {
    return usage_error("{}: there is no run here (no config.toml)", run.string());
  }
  ASSIGN_OR_RETURN(int lock, acquire_lock(run));
  RunDirectory directory(run, lock);
  RETURN_IF_ERROR(make_directories(directory.checkpoints_path()));
  for (const fs::path& entry : entries_of(directory.checkpoints_path())) {
    if (!entry.filename().string().starts_with(kUnfinished)) continue;
    RETURN_IF_ERROR(remove_tree(entry));
  }
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
  const fs::path final = checkpoints_path() / checkpoint_name(step);
  const fs::path unfinished =
      checkpoints_path() / (std::string(kUnfinished) + checkpoint_name(step));
  const Status saved =
      remove_tree(unfinished)
          .and_then([&] { return make_directories(unfinished); })
          .and_then([&] { return write(unfinished); })
          .and_then([&] { return sync_tree(unfinished); })
          .and_then([&] { return is_there(final) ? remove_checkpoint(final) : Status(); })
          .and_then([&] { return move_to(unfinished, final); })
          .and_then([&] { return sync(checkpoints_path()); });
  if (!saved) return tl::make_unexpected(saved.error());
  const std::vector<Checkpoint> all = checkpoints_of(path_);
  const std::size_t kept = static_cast<std::size_t>(std::max(keep, 1));
  for (std::size_t i = 0; i + kept < all.size(); ++i) {
    RETURN_IF_ERROR(remove_checkpoint(all[i].folder));
  }
  return Checkpoint{step, final};
}

}  // namespace redqueen::run
