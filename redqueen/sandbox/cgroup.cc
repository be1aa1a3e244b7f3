#include "redqueen/sandbox/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

namespace redqueen::sandbox {
namespace {

constexpr long kCgroup2Magic = 0x63677270;
constexpr int kMostWaitMs = 500;    // for the processes of a dead worker to be gone
constexpr int kMaxProcesses = 512;  // of one worker: its sessions and one job

bool write_file(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  close(fd);
  errno = error;
  return written;
}

std::string mount_point() {
  for (const char* path : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    struct statfs info {};
    if (statfs(path, &info) == 0 && info.f_type == kCgroup2Magic) return path;
  }
  return {};
}

// The cgroup that this process is in, below the mount point; "/" for the root.
std::string own_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return "/";
}

bool has_controllers(const std::string& folder) {
  std::ifstream file(folder + "/cgroup.subtree_control");
  bool memory = false;
  bool pids = false;
  for (std::string word; file >> word;) {
    memory = memory || word == "memory";
    pids = pids || word == "pids";
  }
  return memory && pids;
}

// Where leaves may be made; empty, and `why`, if nowhere.
std::string home(const SandboxConfig& config, std::string& why) {
  if (!config.cgroup.empty()) {
    // Ours by agreement and without processes, so the controllers may be switched on.
    write_file(config.cgroup + "/cgroup.subtree_control", "+memory +pids");
    if (has_controllers(config.cgroup)) return config.cgroup;
    why = fmt::format("{} has no memory and pids controllers for its children", config.cgroup);
    return {};
  }
  const std::string mount = mount_point();
  if (mount.empty()) {
    why = "no cgroup v2 is mounted";
    return {};
  }
  const std::string own = own_group();
  const std::string folder = mount + own.substr(0, own.rfind('/'));
  if (has_controllers(folder)) return folder;
  why = fmt::format("{} has no memory and pids controllers for its children", folder);
  return {};
}

}  // namespace

CgroupLeaf::CgroupLeaf(CgroupLeaf&& other) noexcept
    : path_(std::exchange(other.path_, {})), note_(std::move(other.note_)) {}

CgroupLeaf& CgroupLeaf::operator=(CgroupLeaf&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(note_, other.note_);
  return *this;
}

// The worker is dead, but what it leaves behind dies a moment later, and a group with processes
// cannot be removed.
CgroupLeaf::~CgroupLeaf() {
  if (path_.empty()) return;
  write_file(path_ + "/cgroup.kill", "1");  // absent before Linux 5.14
  for (int i = 0; i < kMostWaitMs && rmdir(path_.c_str()) != 0 && errno == EBUSY; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

CgroupLeaf CgroupLeaf::make(const SandboxConfig& config, pid_t pid) {
  CgroupLeaf leaf;
  if (!config.use_cgroup) {
    leaf.note_ = "switched off by the configuration (use_cgroup)";
    return leaf;
  }
  const std::string folder = home(config, leaf.note_);
  if (folder.empty()) return leaf;
  const std::string path = fmt::format("{}/redqueen-sandbox-{}", folder, pid);
  if (mkdir(path.c_str(), 0755) != 0) {
    leaf.note_ = fmt::format("{} cannot be made: {}", path, std::strerror(errno));
    return leaf;
  }
  const bool limited =
      write_file(path + "/memory.max", std::to_string(config.cgroup_memory_bytes)) &&
      write_file(path + "/pids.max", std::to_string(kMaxProcesses)) &&
      write_file(path + "/cgroup.procs", std::to_string(pid));
  if (!limited) {
    leaf.note_ = fmt::format("{} cannot be set up: {}", path, std::strerror(errno));
    rmdir(path.c_str());
    return leaf;
  }
  write_file(path + "/memory.swap.max", "0");  // absent where the kernel does not account swap
  leaf.path_ = path;
  leaf.note_ = fmt::format("memory.max {} MiB and pids.max {} for a worker with its children",
                           config.cgroup_memory_bytes >> 20, kMaxProcesses);
  return leaf;
}

}  // namespace redqueen::sandbox
