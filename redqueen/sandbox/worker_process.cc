#include "redqueen/sandbox/worker_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace redqueen::sandbox {
namespace {

constexpr std::size_t kReadChunk = 1U << 16;
constexpr const char* kSystemPackages = "/usr/lib/python3/dist-packages";
constexpr const char* kProgramName = "redqueen-sandbox-worker";

std::string beside(const std::filesystem::path& file) {
  std::error_code ignored;
  return (std::filesystem::weakly_canonical(file, ignored).parent_path() / kProgramName).string();
}

// The worker gets its socket as descriptor 3, nothing else that is ours, no environment of ours,
// and default signals. It is cut off from our terminal (setsid), so that no Ctrl-C reaches it.
int spawn(const std::string& program, int socket, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, 3);
  for (int fd = 0; fd < 3; ++fd) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, 4);
  // Every child can read the path under which the worker was started, so that has no folder in it.
  const std::filesystem::path path(program);
  if (path.has_parent_path()) {
    posix_spawn_file_actions_addchdir_np(&actions, path.parent_path().c_str());
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  std::array<char*, 2> arguments = {const_cast<char*>(kProgramName), nullptr};
  // Resolving every symbol at the start spares each forked child the writing of its own tables.
  std::array<char*, 2> environment = {const_cast<char*>("LD_BIND_NOW=1"), nullptr};
  const int error = posix_spawn(&pid, path.filename().c_str(), &actions, &attributes,
                                arguments.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Expected<std::string> find_worker_program(const SandboxConfig& config) {
  std::vector<std::string> candidates;
  const char* variable = std::getenv("REDQUEEN_SANDBOX_WORKER");
  if (!config.worker_path.empty()) {
    candidates = {config.worker_path};
  } else if (variable != nullptr && *variable != '\0') {
    candidates = {variable};
  } else {
    candidates = {beside("/proc/self/exe")};
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&find_worker_program), &info) != 0) {
      candidates.push_back(beside(info.dli_fname));
    }
  }
  for (const auto& candidate : candidates) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return failure(
      "the sandbox's worker program is not at {}. Build the target {}, or name it in "
      "sandbox.worker "
      "or in REDQUEEN_SANDBOX_WORKER.",
      candidates.front(), kProgramName);
}

WorkerProcess::WorkerProcess(pid_t pid, int socket, CgroupLeaf cgroup)
    : pid_(pid), socket_(socket), cgroup_(std::move(cgroup)) {}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      cgroup_(std::move(other.cgroup_)),
      inbox_(std::move(other.inbox_)),
      outbox_(std::move(other.outbox_)),
      consumed_(other.consumed_),
      descriptors_(std::move(other.descriptors_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  if (this == &other) return *this;
  end();
  pid_ = std::exchange(other.pid_, -1);
  socket_ = std::exchange(other.socket_, -1);
  cgroup_ = std::move(other.cgroup_);
  inbox_ = std::move(other.inbox_);
  outbox_ = std::move(other.outbox_);
  consumed_ = other.consumed_;
  descriptors_ = std::move(other.descriptors_);
  return *this;
}

WorkerProcess::~WorkerProcess() { end(); }

void WorkerProcess::end() {
  if (socket_ >= 0) close(socket_);
  for (const int descriptor : descriptors_) close(descriptor);
  descriptors_.clear();
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = socket_ = -1;
}

Expected<WorkerProcess> WorkerProcess::start(const std::string& program,
                                             const SandboxConfig& config, std::uint64_t hash_seed,
                                             Runtime runtime) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return failure("the sandbox has no socket for a worker: {}. Raise the limit of open files.",
                   std::strerror(errno));
  }
  // dup2 onto itself would keep close-on-exec, so the worker's end must not be 3 already.
  int far_end = fcntl(ends[1], F_DUPFD_CLOEXEC, 4);
  close(ends[1]);
  pid_t pid = -1;
  const int error = far_end < 0 ? errno : spawn(program, far_end, pid);
  if (far_end >= 0) close(far_end);
  if (error != 0) {
    close(ends[0]);
    return failure("the sandbox's worker {} does not start: {}.", program, std::strerror(error));
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  WorkerProcess worker(pid, ends[0], CgroupLeaf::make(config, pid));
  wire::Setup setup;
  setup.hash_seed = hash_seed;
  setup.use_namespaces = config.use_namespaces;
  setup.use_landlock = config.use_landlock;
  setup.cgroup = worker.cgroup_.path();
  setup.cgroup_note = worker.cgroup_.note();
  setup.preload = config.preload.empty() ? default_preload() : config.preload;
  setup.preludes = config.preludes;
  setup.runtime = runtime;
  if (runtime == Runtime::kData) {
    setup.packages = config.data_packages.empty() ? kSystemPackages : config.data_packages;
    // What numpy itself imports late: hashlib with OpenSSL, among others, in 40 ms.
    setup.preload.emplace_back("numpy.random");
  }
  worker.send(wire::encode(setup));
  return worker;
}

bool WorkerProcess::send(std::string bytes) {
  if (outbox_.empty()) {
    outbox_ = std::move(bytes);
  } else {
    outbox_ += bytes;
  }
  return flush();
}

bool WorkerProcess::flush() {
  std::size_t sent = 0;
  bool alive = true;
  while (sent < outbox_.size()) {
    const ssize_t n = ::send(socket_, outbox_.data() + sent, outbox_.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      alive = errno == EAGAIN;
      break;
    }
    sent += static_cast<std::size_t>(n);
  }
  outbox_.erase(0, sent);
  return alive;
}

// As ::read().
ssize_t WorkerProcess::read_with_descriptors(char* chunk, std::size_t size) {
  constexpr std::size_t kMost = 8;  // the worker sends one with a message
  iovec part{chunk, size};
  alignas(cmsghdr) char ancillary[CMSG_SPACE(kMost * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = ancillary;
  message.msg_controllen = sizeof(ancillary);
  const ssize_t got = recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
  if (got < 0) return got;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      descriptors_.push_back(descriptor);
    }
  }
  return got;
}

int WorkerProcess::take_descriptor() {
  if (descriptors_.empty()) return -1;
  const int descriptor = descriptors_.front();
  descriptors_.pop_front();
  return descriptor;
}

bool WorkerProcess::receive() {
  inbox_.erase(0, consumed_);
  consumed_ = 0;
  for (;;) {
    char chunk[kReadChunk];
    const ssize_t n = read_with_descriptors(chunk, sizeof(chunk));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    if (n == 0) return false;
    inbox_.append(chunk, static_cast<std::size_t>(n));
    if (static_cast<std::size_t>(n) < sizeof(chunk)) return true;
  }
}

wire::Split WorkerProcess::next(wire::Frame& frame) const {
  return wire::split_frame(std::string_view(inbox_).substr(consumed_), wire::kMaxFrameBytes, frame);
}

}  // namespace redqueen::sandbox
