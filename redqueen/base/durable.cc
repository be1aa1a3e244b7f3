#include "redqueen/base/durable.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "redqueen/base/file_queries.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDraft = ".draft-";
constexpr std::string_view kFormer = ".former-";

// --- names of leftovers ------------------------------------------------------------------------

struct Owner {
  pid_t pid = 0;
  std::uint64_t start = 0;  // 0: unknown
};

// When a process began, in clock ticks since the machine did; 0 for one that has ended, or where
// /proc does not say.
std::uint64_t start_of(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  const std::string stat((std::istreambuf_iterator<char>(file)), {});
  const std::size_t name_end = stat.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string state, skipped;
  fields >> state;
  if (state == "Z") return 0;
  for (int i = 0; i < 18; ++i) fields >> skipped;
  std::uint64_t start = 0;
  fields >> start;
  return start;
}

bool is_alive(const Owner& owner) {
  if (owner.start != 0) return start_of(std::to_string(owner.pid)) == owner.start;
  // A name without a start time that has this process's own id is of an earlier process.
  return owner.pid != ::getpid() && (::kill(owner.pid, 0) == 0 || errno == EPERM);
}

fs::path leftover_name(const fs::path& path, std::string_view kind) {
  static std::atomic<std::uint64_t> count = 0;
  return path.parent_path() / fmt::format(".{}{}{}.{}.{}", path.filename().string(), kind,
                                          ::getpid(), start_of("self"), count++);
}

struct Leftover {
  std::string of;          // the name of what it is a leftover of
  bool is_former = false;  // and may be needed
  std::optional<Owner> owner = {};
};

// Reads a number up to `end` of the text, which is then taken off.
template <typename Number>
std::optional<Number> take_number(std::string_view& text, char end) {
  Number value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (end == '\0') return text.empty() ? std::optional(value) : std::nullopt;
  if (text.empty() || text.front() != end) return std::nullopt;
  text.remove_prefix(1);
  return value;
}

std::optional<Leftover> parse_leftover(std::string_view name) {
  if (!name.starts_with('.')) return std::nullopt;
  for (const std::string_view kind : {kDraft, kFormer}) {
    const std::size_t at = name.rfind(kind);
    if (at == std::string_view::npos || at < 2) continue;
    std::string_view rest = name.substr(at + kind.size());
    const auto pid = take_number<pid_t>(rest, '.');
    const auto start = pid ? take_number<std::uint64_t>(rest, '.') : std::nullopt;
    if (!start || !take_number<std::uint64_t>(rest, '\0')) continue;
    return Leftover{std::string(name.substr(1, at - 1)), kind == kFormer, Owner{*pid, *start}};
  }
  return std::nullopt;
}

// Reads the names of earlier versions.
std::optional<Leftover> parse_old_leftover(std::string_view name) {
  constexpr std::string_view kUnfinished = ".unfinished-";
  if (name.starts_with(kUnfinished))
    return Leftover{.of = std::string(name.substr(kUnfinished.size()))};
  for (const std::string_view kind : {".new-", ".old-"}) {
    const std::size_t at = name.rfind(kind);
    if (at == std::string_view::npos || at == 0) continue;
    std::string_view rest = name.substr(at + kind.size());
    if (const auto pid = take_number<pid_t>(rest, '\0'))
      return Leftover{std::string(name.substr(0, at)), kind == ".old-", Owner{.pid = *pid}};
  }
  for (const std::string_view kind : {".partial", ".draft", ".former"}) {
    if (name.size() > kind.size() + 1 && name.starts_with('.') && name.ends_with(kind)) {
      return Leftover{std::string(name.substr(1, name.size() - 1 - kind.size())),
                      kind == ".former"};
    }
  }
  return std::nullopt;
}

// --- system calls ------------------------------------------------------------------------------

// Brings a file, or the entries of a folder, to the disk.
Status sync(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return path_error(path, "cannot be opened", errno);
  const int result = ::fsync(file);
  const int error = errno;
  ::close(file);
  // Some file systems cannot sync folders; they need not.
  if (result != 0 && error != EINVAL)
    return path_error(path, "cannot be written to the disk", error);
  return {};
}

Status sync_tree(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::file_type type = entry->symlink_status(error).type();
    if (type == fs::file_type::regular || type == fs::file_type::directory)
      RETURN_IF_ERROR(sync(entry->path()));
  }
  if (error) return path_error(folder, "the folder cannot be read", error);
  return sync(folder);
}

Status sync_parent(const fs::path& path) {
  const fs::path parent = path.parent_path();
  return sync(parent.empty() ? "." : parent);
}

int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

Status remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return path_error(path, "cannot be removed", error);
  return {};
}

// Removes what bears a leftover's name, if anything does, when it goes out of scope. What cannot be
// removed is swept later.
class RemovedAtEnd {
 public:
  explicit RemovedAtEnd(fs::path path) : path_(std::move(path)) {}
  ~RemovedAtEnd() { (void)remove_tree(path_); }
  RemovedAtEnd(const RemovedAtEnd&) = delete;
  RemovedAtEnd& operator=(const RemovedAtEnd&) = delete;

 private:
  fs::path path_;
};

bool cannot_exchange(int error) {
  return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

// The new folder takes the place of the old one in two steps; the old one comes back if the second
// fails. Returns 0 or errno.
int put_in_place_by_two_renames(const fs::path& draft, const fs::path& path) {
  const fs::path former = leftover_name(path, kFormer);
  if (::rename(path.c_str(), former.c_str()) != 0) {
    if (errno != ENOENT) return errno;
    return ::rename(draft.c_str(), path.c_str()) == 0 ? 0 : errno;  // there was no old one
  }
  if (::rename(draft.c_str(), path.c_str()) == 0) {
    // Gives the old folder the draft's name, as an exchange would.
    return ::rename(former.c_str(), draft.c_str()) == 0 ? 0 : errno;
  }
  const int error = errno;
  (void)!::rename(former.c_str(), path.c_str());
  return error;
}

// Afterwards `draft` is the old folder, if there was one.
Status put_in_place(const fs::path& draft, const fs::path& path) {
  int error = 0;
  if (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) != 0)
    error = errno;
  if (error == ENOENT) error = ::rename(draft.c_str(), path.c_str()) == 0 ? 0 : errno;
  if (cannot_exchange(error)) error = put_in_place_by_two_renames(draft, path);
  if (error != 0) return path_error(path, "cannot be replaced", error);
  return {};
}

Status clear(const fs::path& entry, const Leftover& leftover) {
  if (leftover.owner && is_alive(*leftover.owner)) return {};
  const fs::path place = entry.parent_path() / leftover.of;
  if (!leftover.is_former || is_there(place)) return remove_tree(entry);
  if (::rename(entry.c_str(), place.c_str()) != 0)
    return path_error(place, "cannot be put back", errno);
  return sync_parent(place);
}

// Sweeps the leftovers of `name`, or of all names if it is empty.
Status sweep(const fs::path& folder, const std::string& name) {
  if (!is_folder(folder)) return {};
  ASSIGN_OR_RETURN(const auto entries, list_folder(folder));
  for (const fs::path& entry : entries) {
    const std::string own = entry.filename().string();
    auto leftover = parse_leftover(own);
    if (!leftover) leftover = parse_old_leftover(own);
    if (leftover && (name.empty() || leftover->of == name))
      RETURN_IF_ERROR(clear(entry, *leftover));
  }
  return {};
}

// "runs/x/" names the same folder as "runs/x".
fs::path without_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

Status replace_file(const fs::path& path, std::string_view content, Survives survives) {
  const fs::path draft = leftover_name(path, kDraft);
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return path_error(path, "cannot be written", errno);
  const bool syncs = survives == Survives::kPowerLoss;
  int error = write_all(file, content);
  if (error == 0 && syncs && ::fsync(file) != 0 && errno != EINVAL) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(draft.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(draft.c_str());
    return path_error(path, "cannot be written", error);
  }
  return syncs ? sync_parent(path) : Status();
}

Status replace_folder(const fs::path& given, const std::function<Status(const fs::path&)>& write,
                      Survives survives) {
  const fs::path path = without_slash(given);
  const fs::path name = path.filename();
  if (name.empty() || name == "." || name == "..")
    return usage_error("{}: give the folder by its name", given.string());
  if (is_there(path) && !is_folder(path))
    return usage_error("{}: this is no folder, so it is not replaced", path.string());
  const fs::path parent = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  RETURN_IF_ERROR(make_folders(parent));
  RETURN_IF_ERROR(sweep(parent, name.string()));
  const fs::path draft = leftover_name(path, kDraft);
  if (::mkdir(draft.c_str(), 0777) != 0) return path_error(path, "cannot be made", errno);
  const RemovedAtEnd removed(draft);
  RETURN_IF_ERROR(write(draft));
  if (survives == Survives::kPowerLoss) RETURN_IF_ERROR(sync_tree(draft));
  RETURN_IF_ERROR(put_in_place(draft, path));
  // Before the old one goes: otherwise a loss of power could leave neither.
  return survives == Survives::kPowerLoss ? sync_parent(path) : Status();
}

Status remove_folder(const fs::path& given) {
  const fs::path path = without_slash(given);
  const fs::path doomed = leftover_name(path, kDraft);
  if (::rename(path.c_str(), doomed.c_str()) != 0) {
    if (errno == ENOENT) return {};
    return path_error(path, "cannot be removed", errno);
  }
  return remove_tree(doomed);
}

bool is_leftover(std::string_view name) {
  return parse_leftover(name).has_value() || parse_old_leftover(name).has_value();
}

Status sweep_leftovers(const fs::path& folder) { return sweep(folder, ""); }

}  // namespace redqueen
