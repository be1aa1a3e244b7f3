#include "redqueen/sandbox/worker/warm_parent.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>

#include "redqueen/base/clock.h"
#include "redqueen/sandbox/worker/child.h"

namespace redqueen::sandbox::worker {
namespace {

using Clock = std::chrono::steady_clock;

void interrupt_poll(int) {}

// The signal of a child's end stays blocked, except while we wait.
void watch_children(sigset_t& while_waiting) {
  struct sigaction action {};
  action.sa_handler = interrupt_poll;
  action.sa_flags = SA_NOCLDSTOP;
  sigaction(SIGCHLD, &action, nullptr);
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ends, &while_waiting);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

class WarmParent {
 public:
  WarmParent(int orders, State& state, const ChildOptions& options)
      : orders_(orders), state_(state), options_(options), self_(getpid()) {}

  void run() {
    sigset_t while_waiting;
    watch_children(while_waiting);
    for (;;) {
      pollfd event{orders_, POLLIN, 0};
      const int ready = ppoll(&event, 1, nullptr, &while_waiting);
      if (ready < 0 && errno != EINTR) return;
      if (ready < 0) reap();
      if (ready > 0 && !receive()) return;
    }
  }

 private:
  // False: the broker is gone.
  bool receive() {
    Order order;
    iovec part{&order, sizeof(order)};
    alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(ChildFiles))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = ancillary;
    message.msg_controllen = sizeof(ancillary);
    const long got = sealed_receive(state_, orders_, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got == -EINTR || got == -EAGAIN) return true;
    if (got != sizeof(order) || order.slot >= kMaxSlots) return false;
    obey(order, CMSG_FIRSTHDR(&message));
    return true;
  }

  void obey(const Order& order, const cmsghdr* descriptors) {
    Place& place = state_.places[order.slot];
    switch (order.kind) {
      case Order::Kind::kSlot:
        if (descriptors == nullptr) return;
        place.files = {};
        std::memcpy(&place.files, CMSG_DATA(descriptors),
                    std::min(descriptors->cmsg_len - CMSG_LEN(0), sizeof(place.files)));
        state_.places_used = std::max(state_.places_used, order.slot + 1);
        return;
      case Order::Kind::kDropSlot:
        for (const int fd : {place.files.in, place.files.out, place.files.err, place.files.control,
                             place.files.channel, place.files.memory}) {
          if (fd >= 0) close(fd);
        }
        place.files = {};
        return;
      case Order::Kind::kFork:
        return fork_into(order.slot);
      case Order::Kind::kEnd:
        if (place.pid > 0) sealed_kill(state_, place.pid, SIGKILL);
        return;
      case Order::Kind::kCpu:
        return tell_cpu(order);
      case Order::Kind::kTimeForks:
        return time_forks(order.number);
    }
  }

  void fork_into(std::uint32_t slot) {
    Place& place = state_.places[slot];
    const ChildFiles files = place.files;  // the child has no `place`
    const ChildOptions options = options_;
    const pid_t parent = self_;
    const pid_t pid = sealed_fork(state_);
    if (pid == 0) run_child(files, slot, parent, options);
    if (pid > 0) {
      place.pid = pid;
    } else {
      tell({.kind = Notice::Kind::kNoProcess, .slot = slot});
    }
  }

  void reap() {
    for (;;) {
      int status = 0;
      rusage usage{};
      const long pid = sealed_wait(state_, -1, status, WNOHANG, usage);
      if (pid <= 0) return;
      Notice notice{.kind = Notice::Kind::kEnded, .status = status};
      notice.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
      notice.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
      for (std::uint32_t slot = 0; slot < state_.places_used; ++slot) {
        if (state_.places[slot].pid != pid) continue;
        state_.places[slot].pid = -1;
        notice.slot = slot;
        tell(notice);
        break;
      }
    }
  }

  // The clock of a process is its inverted pid and the kind of clock (linux/posix-timers.h). The C
  // library's function for that makes a call that the filter refuses.
  void tell_cpu(const Order& order) {
    const pid_t pid = state_.places[order.slot].pid;
    const auto clock = static_cast<clockid_t>(~static_cast<unsigned>(pid) << 3 | 2U);
    timespec now{};
    if (pid < 0 || sealed_clock(state_, clock, now) != 0) return;
    Notice notice{.kind = Notice::Kind::kCpu, .slot = order.slot, .number = order.number};
    notice.seconds = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    tell(notice);
  }

  // The floor under the cost of a job: fork, exit and wait of this very process.
  void time_forks(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto begin = Clock::now();
      const pid_t pid = sealed_fork(state_);
      if (pid == 0) _exit(0);
      int status = 0;
      rusage usage{};
      if (pid > 0) sealed_wait(state_, pid, status, 0, usage);
      Notice notice{.kind = Notice::Kind::kForked, .number = i, .status = pid > 0 ? 0 : -1};
      notice.seconds = seconds_since(begin);
      tell(notice);
    }
  }

  void tell(const Notice& notice) const {
    while (write(orders_, &notice, sizeof(notice)) < 0 && errno == EINTR) {
    }
  }

  int orders_;
  State& state_;
  ChildOptions options_;
  pid_t self_;
};

}  // namespace

void run_warm_parent(int orders, State& state, const ChildOptions& options) {
  WarmParent(orders, state, options).run();
}

}  // namespace redqueen::sandbox::worker
