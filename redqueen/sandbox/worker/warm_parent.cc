#include "redqueen/sandbox/worker/warm_parent.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <limits>

namespace redqueen::worker {
namespace {

constexpr std::size_t kReadChunk = 1U << 16;
constexpr std::size_t kMaxReport = 1U << 28;  // of a child's frame: repr, canonical form and JSON
constexpr std::size_t kMaxIdleFiles = 8;
constexpr int kReapEveryMs = 5;
constexpr int kLazyMs = 1;
constexpr std::size_t kLazyCalls = 64;
constexpr int kDyingPolls = 500;  // how long a process may take from closing its files to its end
constexpr int kDyingPollMicroseconds = 200;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Seconds of CPU that a living process has used.
double cpu_of(pid_t pid) {
  clockid_t clock{};
  timespec now{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

int memory_file(const char* name) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  // Appending: the child's offset stays right when we cut the file between two calls of a session.
  if (fd >= 0) fcntl(fd, F_SETFL, O_APPEND);
  return fd;
}

void empty_file(int fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || info.st_size != 0) (void)!ftruncate(fd, 0);
}

std::string file_range(int fd, std::uint64_t start, std::uint64_t end, std::uint64_t limit) {
  if (end <= start) return {};
  struct stat info {};
  if (fstat(fd, &info) != 0) return {};
  // The marks are the child's word; the size is the kernel's.
  end = std::min({end, static_cast<std::uint64_t>(info.st_size), start + limit});
  if (end <= start) return {};
  std::string bytes(end - start, '\0');
  const ssize_t got = pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(start));
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

void set_limit(pid_t pid, __rlimit_resource resource, std::uint64_t value) {
  const rlimit limit{value, value};
  prlimit(pid, resource, &limit, nullptr);
}

struct Death {
  OutcomeStatus status = OutcomeStatus::kCrashed;
  std::string message;
};

Death explain(int status) {
  if (WIFEXITED(status)) {
    return {OutcomeStatus::kCrashed, "the process ended by itself with exit code " +
                                         std::to_string(WEXITSTATUS(status)) +
                                         " before it answered"};
  }
  switch (const int signal = WTERMSIG(status)) {
    case SIGXFSZ:
      return {OutcomeStatus::kOutputLimit, "more output than the output limit"};
    case SIGXCPU:
      return {OutcomeStatus::kCpu, "the CPU limit is used up"};
    case SIGSYS:
      return {OutcomeStatus::kRefused, "the process made a system call that the sandbox forbids"};
    case SIGKILL:
      return {OutcomeStatus::kMemory, "the kernel killed the process, for want of memory"};
    default: {
      const char* name = sigdescr_np(signal);
      return {OutcomeStatus::kCrashed, "the process died of signal " + std::to_string(signal) +
                                           " (" + (name != nullptr ? name : "unknown") + ")"};
    }
  }
}

}  // namespace

WarmParent::WarmParent(int host, std::vector<sock_filter> filter, std::uint64_t memory_base)
    : host_(host), self_(getpid()), filter_(std::move(filter)), memory_base_(memory_base) {
  fcntl(host_, F_SETFL, fcntl(host_, F_GETFL) | O_NONBLOCK);
}

// --- children ----------------------------------------------------------------------------------

ChildFiles WarmParent::take_files() {
  ChildFiles files;
  if (!idle_files_.empty()) {
    files = idle_files_.back();
    idle_files_.pop_back();
  } else {
    files = {memory_file("stdin"), memory_file("stdout"), memory_file("stderr"), -1};
  }
  return files;
}

// Only of a child that is dead: nobody else holds them then.
void WarmParent::return_files(ChildFiles files) {
  if (idle_files_.size() < kMaxIdleFiles) {
    for (const int fd : {files.in, files.out, files.err}) empty_file(fd);
    lseek(files.in, 0, SEEK_SET);
    idle_files_.push_back(files);
  } else {
    for (const int fd : {files.in, files.out, files.err}) close(fd);
  }
}

void WarmParent::fork_spare() {
  Child child;
  child.files = take_files();
  int ends[2];
  if (child.files.err < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  child.pid = fork();
  if (child.pid == 0) {
    child.files.control = ends[1];
    run_child(child.files, filter_, self_);
  }
  close(ends[1]);
  if (child.pid < 0) {
    close(ends[0]);
    return_files(child.files);
    return;
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  child.files.control = ends[0];
  spare_ = std::move(child);
}

// The spare, or a fresh one; pid −1: the machine gives no process.
Child WarmParent::take_spare() {
  if (!spare_) fork_spare();
  if (!spare_) return {};
  Child child = std::move(*spare_);
  spare_.reset();
  return child;
}

void WarmParent::limit(const Child& child, const wire::JobFrame& job) const {
  const Limits& limits = job.program.limits;
  set_limit(child.pid, RLIMIT_AS, memory_base_ + limits.memory_bytes);
  set_limit(child.pid, RLIMIT_FSIZE, limits.output_bytes);
  // Only the second line: whole seconds, and for a session the sum of its calls. The first is check_limits().
  if (job.mode == wire::Mode::kBatch) {
    const double each = limits.cpu_seconds > 0 ? limits.cpu_seconds : limits.wall_seconds;
    const double all = (each + 2) * static_cast<double>(job.calls.size() + 1);
    set_limit(child.pid, RLIMIT_CPU, static_cast<std::uint64_t>(std::clamp(all, 1.0, 1e9)));
  }
}

void WarmParent::bury(Child& child) {
  if (child.files.control >= 0) close(child.files.control);
  child.files.control = -1;
  if (child.pid > 0) {
    kill(child.pid, SIGKILL);
    dying_.emplace_back(child.pid, child.files);
  }
  child.pid = -1;
}

void WarmParent::reap() {
  std::erase_if(dying_, [this](const auto& entry) {
    if (waitpid(entry.first, nullptr, WNOHANG) == 0) return false;
    return_files(entry.second);
    return true;
  });
}

// --- jobs --------------------------------------------------------------------------------------

// The floor under the cost of a job: fork, exit and wait of this very process.
void WarmParent::measure_forks(const wire::JobFrame& job) {
  wire::Result result;
  result.id = job.id;
  for (std::size_t i = 0; i < job.calls.size(); ++i) {
    const auto begin = Clock::now();
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    if (pid > 0) waitpid(pid, nullptr, 0);
    result.index = static_cast<std::uint32_t>(i);
    result.wall_seconds = seconds_since(begin);
    result.status = pid > 0 ? OutcomeStatus::kError : OutcomeStatus::kCrashed;
    send_host(wire::encode(result));
  }
}

void WarmParent::start(wire::JobFrame job) {
  if (job.mode == wire::Mode::kForks) {
    measure_forks(job);
    return;
  }
  Activity& activity = activities_.emplace_back();
  activity.job = std::move(job);
  launch(activity);
}

// Gives the job, from its next call on, to a new child.
void WarmParent::launch(Activity& activity) {
  wire::JobFrame rest;
  wire::JobFrame* job = &activity.job;
  if (activity.next > 0) {
    rest = activity.job;
    rest.calls.erase(rest.calls.begin(),
                     rest.calls.begin() + static_cast<std::ptrdiff_t>(activity.next));
    job = &rest;
  }
  activity.child = take_spare();
  activity.out_mark = activity.err_mark = 0;
  activity.loading = job->mode == wire::Mode::kBatch && job->calls.size() > 1;
  activity.waiting = false;
  begin_call(activity);
  if (activity.child.pid < 0) return;  // check_limits() reports it
  limit(activity.child, *job);
  const std::string& input = job->program.input;
  if (!input.empty()) (void)!pwrite(activity.child.files.in, input.data(), input.size(), 0);
  lseek(activity.child.files.in, 0, SEEK_SET);
  activity.child.outbox = wire::encode(*job);
  flush_child(activity.child);
}

void WarmParent::begin_call(Activity& activity) {
  activity.start = Clock::now();
  activity.cpu_start = 0;
  if (activity.child.pid > 0 && activity.job.program.limits.cpu_seconds > 0) {
    activity.cpu_start = cpu_of(activity.child.pid);
  }
}

void WarmParent::call_session(std::uint64_t id, const Call& call) {
  for (Activity& activity : activities_) {
    if (activity.job.id != id || !activity.waiting) continue;
    activity.waiting = false;
    begin_call(activity);
    activity.child.outbox = wire::encode_call(id, call);
    flush_child(activity.child);
    return;
  }
  wire::Result result;
  result.id = id;
  result.status = OutcomeStatus::kCrashed;
  result.ended = true;
  result.message = "the session has ended";
  send_host(wire::encode(result));
}

wire::Result WarmParent::result_of(const Activity& activity) const {
  wire::Result result;
  result.id = activity.job.id;
  result.index = static_cast<std::uint32_t>(activity.next);
  result.wall_seconds = seconds_since(activity.start);
  return result;
}

void WarmParent::collect_output(Activity& activity, wire::Result& result, std::uint64_t out_end,
                                std::uint64_t err_end) {
  const std::uint64_t limit = activity.job.program.limits.output_bytes;
  const ChildFiles& files = activity.child.files;
  result.out = file_range(files.out, activity.out_mark, out_end, limit);
  result.err = file_range(files.err, activity.err_mark, err_end, limit);
  activity.out_mark = std::max(activity.out_mark, out_end);
  activity.err_mark = std::max(activity.err_mark, err_end);
}

// --- what children say ---------------------------------------------------------------------------

bool WarmParent::read_child(Activity& activity) {
  Child& child = activity.child;
  char chunk[kReadChunk];
  const ssize_t got = read(child.files.control, chunk, sizeof(chunk));
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) return child_died(activity);
  activity.read_at = Clock::now();
  child.inbox.append(chunk, static_cast<std::size_t>(got));
  std::size_t used = 0;
  for (;;) {
    wire::Frame frame;
    const auto split =
        wire::split_frame(std::string_view(child.inbox).substr(used), kMaxReport, frame);
    if (split == wire::Split::kNeedMore) break;
    if (split == wire::Split::kMalformed) {
      return breach(activity, OutcomeStatus::kCrashed, "the process sent what is no answer");
    }
    used += frame.size;
    const pid_t pid = child.pid;
    if (!handle_child_frame(activity, frame)) return false;
    if (child.pid != pid) return true;  // replaced: its inbox went with it
  }
  child.inbox.erase(0, used);
  return true;
}

bool WarmParent::handle_child_frame(Activity& activity, const wire::Frame& frame) {
  if (activity.waiting) {
    return breach(activity, OutcomeStatus::kCrashed, "the process answered without being asked");
  }
  // However fast it was.
  if (activity.job.program.limits.wall_seconds <= 0) return check_limits(activity);
  if (frame.kind == wire::Kind::kLoaded && activity.loading) {
    activity.loading = false;
    begin_call(activity);
    return true;
  }
  const auto marks = wire::decode_marks(frame.payload);
  if (marks && frame.kind == wire::Kind::kLoadFailed) {
    wire::Result result = result_of(activity);
    collect_output(activity, result, marks->first, marks->second);
    result.report = frame.payload.substr(wire::kMarksBytes);
    return fail_rest(activity, result);
  }
  if (marks && frame.kind == wire::Kind::kReport && !activity.loading) {
    return handle_report(activity, frame);
  }
  return breach(activity, OutcomeStatus::kCrashed, "the process sent what is no answer");
}

bool WarmParent::handle_report(Activity& activity, const wire::Frame& frame) {
  const auto marks = *wire::decode_marks(frame.payload);
  wire::Result result = result_of(activity);
  collect_output(activity, result, marks.first, marks.second);
  result.report = frame.payload.substr(wire::kMarksBytes);
  if (activity.job.mode == wire::Mode::kSession) {
    activity.waiting = true;
    for (const int fd : {activity.child.files.out, activity.child.files.err}) empty_file(fd);
    activity.out_mark = activity.err_mark = 0;
    send_host(wire::encode(result));
    return true;
  }
  ++activity.next;
  const bool more = activity.next < activity.job.calls.size();
  result.ended = !more;
  send_host(wire::encode(result));
  begin_call(activity);
  return more;
}

// The program itself failed, so every call that is left has the same outcome.
bool WarmParent::fail_rest(Activity& activity, const wire::Result& result) {
  wire::Result each = result;
  const std::size_t count = std::max<std::size_t>(activity.job.calls.size(), 1);
  for (std::size_t i = activity.next; i < count; ++i) {
    each.index = static_cast<std::uint32_t>(i);
    each.ended = i + 1 == count;
    send_host(wire::encode(each));
  }
  return false;
}

// --- limits and deaths ---------------------------------------------------------------------------

double WarmParent::seconds_left(const Activity& activity) const {
  const Limits& limits = activity.job.program.limits;
  double left = limits.wall_seconds - seconds_since(activity.start);
  if (limits.cpu_seconds > 0 && left > 0) {
    // One thread uses no more CPU than time passes, so there is nothing to see before then.
    const double used = cpu_of(activity.child.pid) - activity.cpu_start;
    left = std::min(left, limits.cpu_seconds - used);
  }
  return left;
}

bool WarmParent::check_limits(Activity& activity) {
  if (activity.waiting) return true;
  if (activity.child.pid < 0) {
    return breach(activity, OutcomeStatus::kCrashed,
                  "the machine gives the sandbox no more processes");
  }
  if (seconds_left(activity) > 0) return true;
  const Limits& limits = activity.job.program.limits;
  const bool wall = seconds_since(activity.start) >= limits.wall_seconds;
  return breach(activity, wall ? OutcomeStatus::kTimeout : OutcomeStatus::kCpu,
                wall ? "no answer within the time limit" : "the CPU limit is used up");
}

// Its socket is closed: it is dead, dying, or has closed it on purpose.
bool WarmParent::child_died(Activity& activity) {
  int status = 0;
  rusage usage{};
  const pid_t pid = activity.child.pid;
  bool dead = false;
  for (int i = 0; i < kDyingPolls && !dead; ++i) {
    dead = wait4(pid, &status, WNOHANG, &usage) == pid;
    if (!dead) usleep(kDyingPollMicroseconds);
  }
  if (!dead) {
    return breach(activity, OutcomeStatus::kCrashed, "the process closed its way to answer");
  }
  const Death death = explain(status);
  wire::Result result = result_of(activity);
  result.status = death.status;
  result.message = death.message;
  result.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return after_death(activity, std::move(result));
}

bool WarmParent::breach(Activity& activity, OutcomeStatus status, std::string message) {
  wire::Result result = result_of(activity);
  result.status = status;
  result.message = std::move(message);
  if (activity.child.pid > 0) {
    rusage usage{};
    kill(activity.child.pid, SIGKILL);
    wait4(activity.child.pid, nullptr, 0, &usage);
    result.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    result.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  }
  return after_death(activity, std::move(result));
}

// The child is gone and reaped. Reports its call, and carries on with the next in a new child.
bool WarmParent::after_death(Activity& activity, wire::Result result) {
  Child& child = activity.child;
  const bool shared_output = activity.out_mark > 0 || activity.err_mark > 0;
  if (child.pid > 0) {
    collect_output(activity, result, std::numeric_limits<std::uint64_t>::max(),
                   std::numeric_limits<std::uint64_t>::max());
    close(child.files.control);
    return_files(child.files);
  }
  child = {};
  // The limit of a file is its size, which earlier calls have used: this call gets a file of its own.
  if (result.status == OutcomeStatus::kOutputLimit && shared_output) {
    launch(activity);
    return true;
  }
  if (activity.job.mode == wire::Mode::kSession) {
    result.ended = true;
    send_host(wire::encode(result));
    return false;
  }
  if (activity.loading) return fail_rest(activity, result);
  ++activity.next;
  const bool more = activity.next < activity.job.calls.size();
  result.ended = !more;
  send_host(wire::encode(result));
  if (more) launch(activity);
  return more;
}

// --- the host ------------------------------------------------------------------------------------

void WarmParent::handle_host_frame(const wire::Frame& frame) {
  if (frame.kind == wire::Kind::kJob) {
    if (auto job = wire::decode_job(frame.payload)) start(std::move(*job));
  } else if (frame.kind == wire::Kind::kCall) {
    if (const auto call = wire::decode_call(frame.payload)) call_session(call->first, call->second);
  } else if (frame.kind == wire::Kind::kClose) {
    const auto id = wire::decode_close(frame.payload);
    for (auto it = activities_.begin(); id && it != activities_.end(); ++it) {
      if (it->job.id != *id) continue;
      bury(it->child);
      activities_.erase(it);
      return;
    }
  }
}

// False: the host hung up.
bool WarmParent::read_host() {
  for (;;) {
    char chunk[kReadChunk];
    const ssize_t got = read(host_, chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) return false;
    from_host_.append(chunk, static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < sizeof(chunk)) break;
  }
  std::size_t used = 0;
  for (;;) {
    wire::Frame frame;
    const auto split =
        wire::split_frame(std::string_view(from_host_).substr(used), wire::kMaxFrameBytes, frame);
    if (split == wire::Split::kMalformed) return false;
    if (split == wire::Split::kNeedMore) break;
    handle_host_frame(frame);
    used += frame.size;
  }
  from_host_.erase(0, used);
  return true;
}

void WarmParent::send_host(std::string bytes) {
  if (to_host_.empty()) {
    to_host_ = std::move(bytes);
  } else {
    to_host_ += bytes;
  }
}

bool WarmParent::flush_host() {
  std::size_t sent = 0;
  while (sent < to_host_.size()) {
    const ssize_t n = send(host_, to_host_.data() + sent, to_host_.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  to_host_.erase(0, sent);
  return true;
}

void WarmParent::flush_child(Child& child) {
  std::size_t sent = 0;
  while (sent < child.outbox.size()) {
    const ssize_t n = send(child.files.control, child.outbox.data() + sent,
                           child.outbox.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;  // full, or dead: poll() will say which
    sent += static_cast<std::size_t>(n);
  }
  child.outbox.erase(0, sent);
}

// A long batch of short calls would wake us for each answer. What has just been read is left alone for a moment, so that
// answers come in heaps; its socket holds several hundred.
bool WarmParent::is_lazy(const Activity& activity) {
  return activity.child.outbox.empty() && activity.next + kLazyCalls < activity.job.calls.size() &&
         Clock::now() - activity.read_at < std::chrono::milliseconds(kLazyMs);
}

int WarmParent::poll_timeout() const {
  double left = 3600;
  for (const Activity& activity : activities_) {
    if (!activity.waiting) left = std::min(left, seconds_left(activity));
  }
  const int ms = static_cast<int>(std::ceil(std::max(left, 0.0) * 1000));
  const bool lazy = std::any_of(activities_.begin(), activities_.end(), is_lazy);
  const int most = lazy ? kLazyMs : dying_.empty() ? ms : kReapEveryMs;
  return std::min(ms, most);
}

void WarmParent::run() {
  std::vector<pollfd> events;
  for (;;) {
    if (!flush_host()) return;
    if (!spare_) fork_spare();
    reap();
    events.clear();
    events.push_back({host_, static_cast<short>(to_host_.empty() ? POLLIN : POLLIN | POLLOUT), 0});
    for (const Activity& activity : activities_) {
      const bool unsent = !activity.child.outbox.empty();
      const int control = is_lazy(activity) ? -1 : activity.child.files.control;
      events.push_back({control, static_cast<short>(unsent ? POLLIN | POLLOUT : POLLIN), 0});
    }
    if (poll(events.data(), events.size(), poll_timeout()) < 0 && errno != EINTR) return;
    auto event = events.begin() + 1;
    for (auto it = activities_.begin(); it != activities_.end() && event != events.end(); ++event) {
      bool alive = true;
      if ((event->revents & POLLOUT) != 0) flush_child(it->child);
      if ((event->revents & (POLLIN | POLLHUP | POLLERR)) != 0) alive = read_child(*it);
      if (alive) alive = check_limits(*it);
      if (!alive) bury(it->child);
      it = alive ? std::next(it) : activities_.erase(it);
    }
    if (events[0].revents != 0 && !read_host()) return;
  }
}

}  // namespace redqueen::worker
