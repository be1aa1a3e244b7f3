#include "redqueen/arena/judge/workspace.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 64;            // to put something where an agent puts other things
constexpr int kDeepest = 64;             // folders within folders
constexpr int kMostRemoved = 1'000'000;  // entries, of one obstacle
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// Neither waits for a FIFO's other end nor takes a terminal.
constexpr int kFileFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

bool is_plain_step(std::string_view step) {
  return !step.empty() && step != "." && step != ".." && step.find('\0') == std::string_view::npos;
}

std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    steps.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return steps;
}

bool is_plain(const std::vector<std::string>& steps) {
  return std::all_of(steps.begin(), steps.end(), is_plain_step);
}

int open_step_by_step(int root, const std::vector<std::string>& steps, int flags) {
  Descriptor folder;
  int at = root;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    Descriptor next(::openat(at, steps[i].c_str(), kFolderFlags));
    if (next.get() < 0) return -1;
    folder = std::move(next);
    at = folder.get();
  }
  return ::openat(at, steps.back().c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
}

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

// Lists the folder that is open as `fd`, which stays open.
std::vector<std::string> names_of(int fd, std::size_t most) {
  std::vector<std::string> names;
  const int copy = ::openat(fd, ".", kFolderFlags);
  const Folder entries(copy >= 0 ? ::fdopendir(copy) : nullptr, &::closedir);
  if (!entries) {
    if (copy >= 0) ::close(copy);
    return names;
  }
  while (const dirent* entry = ::readdir(entries.get())) {
    if (names.size() == most) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Removes `name` and all that is below it; a link is removed, not followed. False: some of it is
// still there.
bool remove_tree(int folder, const std::string& name, int depth, int& left) {
  if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return true;
  if (errno != EISDIR && errno != EPERM) return false;
  if (depth > kDeepest) return false;
  {
    const Descriptor inner(::openat(folder, name.c_str(), kFolderFlags));
    if (inner.get() < 0) return errno == ENOENT;
    for (const std::string& each : names_of(inner.get(), static_cast<std::size_t>(left))) {
      if (--left <= 0 || !remove_tree(inner.get(), each, depth + 1, left)) return false;
    }
  }
  return ::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT;
}

int rename_to_free_place(int from, const char* name, int to, const char* new_name) {
  return static_cast<int>(
      ::syscall(SYS_renameat2, from, name, to, new_name, 1U /* RENAME_NOREPLACE */));
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {std::string(), path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  if (fd_ >= 0) ::close(fd_);
  fd_ = other.release();
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

int open_beneath(int root, const std::string& path, int flags, PathWalk walk) {
  const std::vector<std::string> steps = steps_of(path);
  if (!is_plain(steps)) {
    errno = EINVAL;
    return -1;
  }
  if (walk == PathWalk::kKernel) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags | O_NOFOLLOW | O_CLOEXEC);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const long opened = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof(how));
    // No such call, or a filter that does not know it; EAGAIN: something was renamed meanwhile.
    if (opened >= 0 || (errno != ENOSYS && errno != EPERM && errno != EAGAIN)) {
      return static_cast<int>(opened);
    }
  }
  return open_step_by_step(root, steps, flags);
}

Expected<Workspace> Workspace::open(const fs::path& folder, PathWalk walk) {
  Descriptor opened(::open(folder.c_str(), kFolderFlags));
  if (opened.get() < 0) {
    return failure("{}: the workspace cannot be opened ({})", folder.string(),
                   system_reason(errno));
  }
  return Workspace(std::move(opened), folder.string(), walk);
}

std::string Workspace::full(const std::string& path) const { return name_ + "/" + path; }

bool Workspace::clear(int folder, const std::string& name) {
  int left = kMostRemoved;
  if (remove_tree(folder, name, 0, left)) return true;
  for (int i = 0; i < kAttempts; ++i) {
    const std::string aside = fmt::format(".former-{}", i);
    if (rename_to_free_place(folder, name.c_str(), folder, aside.c_str()) == 0) return true;
    if (errno == ENOENT) return true;
  }
  return false;
}

Expected<Descriptor> Workspace::enter(const std::string& path, bool make) const {
  if (path.empty()) return Descriptor(::openat(folder_.get(), ".", kFolderFlags));
  if (!is_plain(steps_of(path))) return failure("{}: is no path of a workspace", full(path));
  int reason = 0;
  for (int i = 0; i < kAttempts; ++i) {
    Descriptor opened(open_beneath(folder_.get(), path, kFolderFlags, walk_));
    if (opened.get() >= 0) return opened;
    reason = errno;
    if (!make) break;
    const auto [above, name] = split(path);
    ASSIGN_OR_RETURN(const Descriptor parent, enter(above, true));
    if (reason != ENOENT && !clear(parent.get(), name)) break;
    if (::mkdirat(parent.get(), name.c_str(), 0777) != 0 && errno != EEXIST) {
      reason = errno;
      break;
    }
  }
  return failure("{}: cannot be {} ({})", full(path), make ? "made" : "opened",
                 system_reason(reason));
}

Status Workspace::make_folder(const std::string& path) const {
  RETURN_IF_ERROR(enter(path, true));
  return {};
}

Status Workspace::write(const std::string& path, std::string_view text) const {
  const auto [above, name] = split(path);
  if (!is_plain_step(name)) return failure("{}: is no path of a workspace", full(path));
  ASSIGN_OR_RETURN(const Descriptor folder, enter(above, true));
  const std::string draft = fmt::format(".{}.draft", name);
  int reason = 0;
  for (int i = 0; i < kAttempts; ++i) {
    if (!clear(folder.get(), draft)) break;
    const Descriptor file(::openat(folder.get(), draft.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    reason = errno;
    if (file.get() < 0 && reason == EEXIST) continue;
    if (file.get() < 0) break;
    if (!write_all(file.get(), text)) {
      reason = errno;
      ::unlinkat(folder.get(), draft.c_str(), 0);
      break;
    }
    if (::renameat(folder.get(), draft.c_str(), folder.get(), name.c_str()) == 0) return {};
    reason = errno;
    if (reason == ENOENT) continue;  // the draft was taken away
    if (!clear(folder.get(), name)) break;
  }
  ::unlinkat(folder.get(), draft.c_str(), 0);
  return failure("{}: cannot be written ({}). Is the disk full?", full(path),
                 system_reason(reason));
}

Status Workspace::move_in(const fs::path& from, const std::string& path) const {
  const auto [above, name] = split(path);
  if (!is_plain_step(name)) return failure("{}: is no path of a workspace", full(path));
  int reason = 0;
  for (int i = 0; i < kAttempts; ++i) {
    ASSIGN_OR_RETURN(const Descriptor folder, enter(above, true));
    if (rename_to_free_place(AT_FDCWD, from.c_str(), folder.get(), name.c_str()) == 0) return {};
    reason = errno;
    if (reason == EINVAL || reason == ENOSYS) {  // a file system without this kind of renaming
      if (::renameat(AT_FDCWD, from.c_str(), folder.get(), name.c_str()) == 0) return {};
      reason = errno;
    }
    const bool in_the_way = reason == EEXIST || reason == ENOTEMPTY || reason == ENOTDIR;
    if (!in_the_way && reason != ENOENT) break;  // ENOENT: the folder itself was removed
    if (in_the_way && !clear(folder.get(), name)) break;
  }
  return failure("{}: cannot be put there ({})", full(path), system_reason(reason));
}

Expected<std::string> Workspace::read(const std::string& path, std::size_t most) const {
  const Descriptor file(open_beneath(folder_.get(), path, kFileFlags, walk_));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return failure("there is no file {}", path.substr(0, 200));
  }
  std::string text;
  std::vector<char> chunk(1U << 16);
  for (;;) {
    const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("{}: cannot be read ({})", full(path), system_reason(errno));
    if (got == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
    if (text.size() > most) return failure("{}: is longer than {} bytes", full(path), most);
  }
}

bool Workspace::is_file(const std::string& path) const {
  const Descriptor file(open_beneath(folder_.get(), path, O_PATH, walk_));
  struct stat info {};
  return file.get() >= 0 && ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode);
}

std::vector<std::string> Workspace::names_in(const std::string& path) const {
  const auto folder = enter(path, false);
  if (!folder || folder->get() < 0) return {};
  return names_of(folder->get(), SIZE_MAX);
}

std::vector<std::string> Workspace::files(std::size_t most) const {
  std::vector<std::string> found;
  std::vector<std::pair<std::string, int>> pending = {{"", 0}};  // folders and how deep they lie
  while (!pending.empty() && found.size() < most) {
    const auto [path, depth] = std::move(pending.back());
    pending.pop_back();
    const auto folder = enter(path, false);
    if (!folder || folder->get() < 0) continue;
    for (const std::string& name : names_of(folder->get(), most)) {
      struct stat info {};
      if (::fstatat(folder->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      std::string inner = path.empty() ? name : path + "/" + name;
      if (S_ISREG(info.st_mode) && found.size() < most) {
        found.push_back(std::move(inner));
      } else if (S_ISDIR(info.st_mode) && depth < kDeepest) {
        pending.emplace_back(std::move(inner), depth + 1);
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace redqueen::arena
