// A library for LD_PRELOAD: looks at the system calls by which a program changes what lies below a
// folder, and kills it before one of them, as SIGKILL or a loss of power would. What it does is
// said by variables of the environment:
//
//   FILE_CALLS_BELOW        the folder, absolute
//   FILE_CALLS_EXCEPT       paths with this text in them are not looked at
//   FILE_CALLS_KILL_AT      the number of the call, from 1, before which the process dies
//   FILE_CALLS_COPY_TO      a folder that gets a copy of the first one for every call, 1, 2, …, as
//                           it is before the call: what the process would leave if it died there
//   FILE_CALLS_NO_EXCHANGE  not empty: renameat2() refuses to exchange, as on NFS
//
// Counted are renames, removals, syncs, new folders, links and files. System calls are made
// without the C library's own functions, which these stand before.

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Orders {
  std::string below = variable("FILE_CALLS_BELOW");
  std::string except = variable("FILE_CALLS_EXCEPT");
  std::string copies = variable("FILE_CALLS_COPY_TO");
  long kill_at = std::atol(variable("FILE_CALLS_KILL_AT").c_str());
  bool no_exchange = !variable("FILE_CALLS_NO_EXCHANGE").empty();
};

const Orders& orders() {
  static const Orders orders;
  return orders;
}

std::string path_of_descriptor(int file) {
  char target[PATH_MAX];
  const std::string link =
      file == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = ::readlink(link.c_str(), target, sizeof(target));
  return length < 0 ? "" : std::string(target, static_cast<std::size_t>(length));
}

void copy_folder(const std::string& to) {
  std::string program = "/bin/cp", how = "-a", from = orders().below, place = to;
  char* words[] = {program.data(), how.data(), from.data(), place.data(), nullptr};
  char* nothing[] = {nullptr};
  pid_t child = 0;
  if (::posix_spawn(&child, program.c_str(), nullptr, nullptr, words, nothing) == 0)
    ::waitpid(child, nullptr, 0);
}

void look_at(int folder, const char* path) {
  const int error = errno;
  const std::string whole =
      path[0] == '/' ? path : path_of_descriptor(folder) + (*path == '\0' ? "" : "/") + path;
  const Orders& given = orders();
  if (given.below.empty() || !whole.starts_with(given.below + "/")) return;
  if (!given.except.empty() && whole.find(given.except) != std::string::npos) return;
  static std::atomic<long> count = 0;
  const long call = ++count;
  if (!given.copies.empty()) copy_folder(given.copies + "/" + std::to_string(call));
  if (call == given.kill_at) ::kill(::getpid(), SIGKILL);
  errno = error;
}

template <typename... Arguments>
int call(long number, Arguments... arguments) {
  return static_cast<int>(::syscall(number, arguments...));
}

int open_file(int folder, const char* path, int flags, mode_t mode) {
  if ((flags & O_CREAT) != 0) look_at(folder, path);
  return call(SYS_openat, folder, path, flags, mode);
}

int sync_file(long number, int file) {
  look_at(file, "");
  return call(number, file);
}

int rename_file(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  look_at(to_folder, to);
  if ((flags & RENAME_EXCHANGE) != 0 && orders().no_exchange) {
    errno = EINVAL;
    return -1;
  }
  return call(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int remove_entry(int folder, const char* path, int flags) {
  look_at(folder, path);
  return call(SYS_unlinkat, folder, path, flags);
}

int make_folder(int folder, const char* path, mode_t mode) {
  look_at(folder, path);
  return call(SYS_mkdirat, folder, path, mode);
}

int make_link(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  look_at(to_folder, to);
  return call(SYS_linkat, from_folder, from, to_folder, to, flags);
}

FILE* open_stream(const char* function, const char* path, const char* mode) {
  if (std::strpbrk(mode, "wa") != nullptr) look_at(AT_FDCWD, path);
  using Open = FILE* (*)(const char*, const char*);
  return reinterpret_cast<Open>(::dlsym(RTLD_NEXT, function))(path, mode);
}

mode_t mode_of(int flags, va_list more) {
  return (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
}

}  // namespace

#define WITH_MODE(statement)                \
  va_list more;                             \
  va_start(more, flags);                    \
  const mode_t mode = mode_of(flags, more); \
  va_end(more);                             \
  statement

extern "C" {

int open(const char* path, int flags, ...) {
  WITH_MODE(return open_file(AT_FDCWD, path, flags, mode));
}
int open64(const char* path, int flags, ...) {
  WITH_MODE(return open_file(AT_FDCWD, path, flags, mode));
}
int openat(int folder, const char* path, int flags, ...) {
  WITH_MODE(return open_file(folder, path, flags, mode));
}
int openat64(int folder, const char* path, int flags, ...) {
  WITH_MODE(return open_file(folder, path, flags, mode));
}
FILE* fopen(const char* path, const char* mode) { return open_stream("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return open_stream("fopen64", path, mode); }

int fsync(int file) { return sync_file(SYS_fsync, file); }
int fdatasync(int file) { return sync_file(SYS_fdatasync, file); }

int rename(const char* from, const char* to) noexcept {
  return rename_file(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return rename_file(from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  return rename_file(from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) noexcept { return remove_entry(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char* path, int flags) noexcept {
  return remove_entry(folder, path, flags);
}
int rmdir(const char* path) noexcept { return remove_entry(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) noexcept {
  struct stat info {};
  const bool is_folder = ::lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
  return remove_entry(AT_FDCWD, path, is_folder ? AT_REMOVEDIR : 0);
}

int mkdir(const char* path, mode_t mode) noexcept { return make_folder(AT_FDCWD, path, mode); }
int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return make_folder(folder, path, mode);
}

int link(const char* from, const char* to) noexcept {
  return make_link(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return make_link(from_folder, from, to_folder, to, flags);
}

}  // extern "C"
