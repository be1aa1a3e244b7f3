// The judge's hand in an agent's workspace. Whatever lies there is the agent's work, and it may
// change while the judge is at work: links, folders that are swapped, FIFOs, devices. So the judge
// never names a path of the workspace to the system. It opens the workspace once and works below
// that descriptor, and follows no link on the way: nothing outside of the workspace is read, made,
// changed or removed, whatever an agent does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::arena {

// A file descriptor, closed when the object goes.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// How the steps of a path are opened. The kernel's way is one system call (openat2, Linux 5.6); the
// other one opens each step by itself, for older kernels and containers that forbid the call.
enum class PathWalk : std::uint8_t { kKernel, kStepByStep };

// Opens `path`, relative to the folder `root` and with '/' between its steps, and follows no link,
// not as its last step either. Returns a negative number and sets errno where that fails; EINVAL
// for a path that is empty, absolute, or has a step "." or "..".
int open_beneath(int root, const std::string& path, int flags, PathWalk walk = PathWalk::kKernel);

// May be used by several threads that do not write to the same path; the agent's processes need not
// hold still.
//
// Paths are relative to the workspace, with '/' between steps, and have no step "." or "..". Where
// the judge puts something, it removes what is in the way, or moves it aside as ".former-N" where
// it cannot be removed. An agent that puts things in the way faster than they are removed gets a
// failure, after a bounded number of attempts.
class Workspace {
 public:
  // Fails where the folder is missing, a link, or no folder.
  static Expected<Workspace> open(const std::filesystem::path& folder,
                                  PathWalk walk = PathWalk::kKernel);

  // Makes the folder and those above it.
  [[nodiscard]] Status make_folder(const std::string& path) const;
  // Makes a new file with this content and puts it in the place of whatever is there. Makes the
  // folders above it.
  [[nodiscard]] Status write(const std::string& path, std::string_view text) const;
  // Moves the folder `from`, which is the judge's own and lies on the same file system, to `path`.
  [[nodiscard]] Status move_in(const std::filesystem::path& from, const std::string& path) const;

  // Opens a folder for reading. Fails where it is a link, or no folder.
  [[nodiscard]] Expected<Descriptor> open_folder(const std::string& path) const {
    return enter(path, false);
  }
  // Reads a regular file; fails on anything else, and on one of more than `most` bytes. Never
  // waits.
  [[nodiscard]] Expected<std::string> read(const std::string& path, std::size_t most) const;
  [[nodiscard]] bool is_file(const std::string& path) const;
  // Returns the names of what the folder holds, sorted; "" is the workspace. None where there is no
  // such folder.
  [[nodiscard]] std::vector<std::string> names_in(const std::string& path) const;
  // Returns the paths of the first `most` regular files, sorted. Fails for none; passes over links,
  // special files, and folders that lie very deep.
  [[nodiscard]] std::vector<std::string> files(std::size_t most) const;

 private:
  Workspace(Descriptor folder, std::string name, PathWalk walk)
      : folder_(std::move(folder)), name_(std::move(name)), walk_(walk) {}

  // Opens a folder; with `make`, one that is missing or in whose place is something else is made.
  [[nodiscard]] Expected<Descriptor> enter(const std::string& path, bool make) const;
  // Clears the place of `name` in a folder.
  static bool clear(int folder, const std::string& name);
  [[nodiscard]] std::string full(const std::string& path) const;

  Descriptor folder_;
  std::string name_;  // for messages
  PathWalk walk_;
};

}  // namespace redqueen::arena
