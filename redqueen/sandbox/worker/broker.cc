#include "redqueen/sandbox/worker/broker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

#include "redqueen/base/clock.h"
#include "redqueen/sandbox/channel_memory.h"
#include "redqueen/sandbox/worker/root.h"

namespace redqueen::sandbox::worker {
namespace {

constexpr std::size_t kReadChunk = 1U << 16;
constexpr std::size_t kMostReport = 1U << 28;  // of a child's frame, whatever its output limit
constexpr std::size_t kMaxIdleSlots = 8;
constexpr int kLazyMs = 1;
constexpr std::size_t kLazyCalls = 64;
// A child that has given its last answer goes by itself; if not, it is killed.
constexpr auto kLeaveTime = std::chrono::milliseconds(10);
// Between the calls of a session: what its child may compute there, in seconds, and when we look.
constexpr double kIdleCpu = 0.02;
constexpr auto kFirstLook = std::chrono::milliseconds(20);
constexpr auto kLook = std::chrono::seconds(1);
constexpr double kShortestLook = 0.005;
// Two: while one child runs and the next job is on its way, the one after is being forked. What
// children with folders of their own map is large, so of those one waits.
constexpr std::size_t kSpares = 2;
constexpr std::size_t kSparesWithFiles = 1;
constexpr auto kForkAgain = std::chrono::milliseconds(100);  // after a spare that died unused
constexpr auto kNever = Clock::time_point::max();

int memory_file(const char* name) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  // Appending: the child's offset stays right when we cut the file between two calls of a session.
  if (fd >= 0) fcntl(fd, F_SETFL, O_APPEND);
  return fd;
}

// Memory that host and child both map. Its size is fixed for good: who cut it would end the other
// side, which reads where nothing is any more.
int shared_memory() {
  const int fd = memfd_create("channel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const bool fixed = fd >= 0 && ftruncate(fd, kChannelMemoryBytes) == 0 &&
                     fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  if (fixed || fd < 0) return fd;
  close(fd);
  return -1;
}

// Sends bytes, and with the first of them a descriptor unless it is −1. As ::send() answers.
ssize_t send_with(int socket, std::string_view bytes, int descriptor) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(int))] = {};
  if (descriptor >= 0) {
    message.msg_control = ancillary;
    message.msg_controllen = sizeof(ancillary);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

void empty_file(int fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || info.st_size != 0 || info.st_blocks != 0) (void)!ftruncate(fd, 0);
}

// Discards bytes that a dead child left unread, or that nobody read.
void empty_socket(int fd) {
  char chunk[4096];
  while (recv(fd, chunk, sizeof(chunk), MSG_DONTWAIT) > 0) {
  }
}

std::string file_range(int fd, std::uint64_t start, std::uint64_t end, std::uint64_t limit) {
  if (end <= start) return {};
  struct stat info {};
  if (fstat(fd, &info) != 0) return {};
  // The marks are the child's word; the size is the kernel's.
  const std::uint64_t most = limit > std::numeric_limits<std::uint64_t>::max() - start
                                 ? std::numeric_limits<std::uint64_t>::max()
                                 : start + limit;
  end = std::min({end, static_cast<std::uint64_t>(info.st_size), most});
  if (end <= start) return {};
  std::string bytes(end - start, '\0');
  const ssize_t got = pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(start));
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

// Removes the folder `name` of `parent` with all that is in it; true where it is not there. What
// lies deeper is moved up first, so that the time does not grow with the depth.
bool empty_folder(const char* parent, const std::string& name) {
  const int top = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (top < 0) return false;
  std::vector<std::string> pending = {name};
  bool gone = true;
  for (int moved = 0; gone && !pending.empty();) {
    const std::string next = std::move(pending.back());
    pending.pop_back();
    if (unlinkat(top, next.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) continue;
    (void)!fchmodat(top, next.c_str(), 0700, 0);
    const int folder = openat(top, next.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    alignas(8) char entries[4096];
    long got = 0;
    while (folder >= 0 && (got = syscall(SYS_getdents64, folder, entries, sizeof(entries))) > 0) {
      for (long at = 0; at < got;) {
        unsigned short length = 0;
        std::memcpy(&length, entries + at + 16, sizeof(length));  // d_reclen
        const char* entry = entries + at + 19;                    // d_name
        at += length;
        if (std::strcmp(entry, ".") == 0 || std::strcmp(entry, "..") == 0) continue;
        if (unlinkat(folder, entry, 0) == 0 || unlinkat(folder, entry, AT_REMOVEDIR) == 0) continue;
        (void)!fchmodat(folder, entry, 0700, 0);
        const std::string up = name + "." + std::to_string(moved++);
        if (renameat(folder, entry, top, up.c_str()) == 0) pending.push_back(up);
      }
    }
    if (folder >= 0) close(folder);
    gone = unlinkat(top, next.c_str(), AT_REMOVEDIR) == 0;
  }
  close(top);
  return gone;
}

// A value's text, and its canonical form and JSON with up to 16 times its length, and the rest.
std::size_t longest_report(const Limits& limits) {
  const std::uint64_t output = std::min<std::uint64_t>(limits.output_bytes, kMostReport / 33);
  return std::min<std::size_t>(33 * output + (64U << 10), kMostReport);
}

}  // namespace

Broker::Broker(int host, int orders, int oom_events, bool files)
    : host_(host), orders_(orders), oom_events_(oom_events), files_(files) {
  fcntl(host_, F_SETFL, fcntl(host_, F_GETFL) | O_NONBLOCK);
  out_of_memory();
}

// --- slots -------------------------------------------------------------------------------------

void Broker::order(Order::Kind kind, std::uint32_t slot, std::uint64_t number) const {
  const Order order{kind, slot, number};
  while (::send(orders_, &order, sizeof(order), MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

// Null: no more descriptors, or too many children.
Slot* Broker::make_slot() {
  for (Slot& slot : slots_) {
    if (slot.state == Slot::State::kEmpty && slot.files.in >= 0) return &slot;
  }
  Slot* slot = nullptr;
  for (Slot& old : slots_) {
    if (old.state == Slot::State::kEmpty) slot = &old;
  }
  if (slot == nullptr) {
    if (slots_.size() == kMaxSlots) return nullptr;
    slot = &slots_.emplace_back();
    slot->index = static_cast<std::uint32_t>(slots_.size() - 1);
  }
  int ends[2] = {-1, -1};
  bool paired = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
  int channel[2] = {-1, -1};
  if (files_) {
    paired &= socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) == 0;
  }
  slot->files = {memory_file("stdin"), memory_file("stdout"),        memory_file("stderr"), ends[0],
                 channel[0],           files_ ? shared_memory() : -1};
  slot->far_end = ends[1];
  slot->channel = channel[1];
  const bool shared = !files_ || slot->files.memory >= 0;
  if (!paired || !shared || slot->files.in < 0 || slot->files.out < 0 || slot->files.err < 0) {
    close_files(*slot);
    return nullptr;
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  Order order{Order::Kind::kSlot, slot->index, 0};
  iovec part{&order, sizeof(order)};
  const std::size_t bytes = (files_ ? kMostFiles : kPlainFiles) * sizeof(int);
  alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(ChildFiles))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = ancillary;
  message.msg_controllen = CMSG_SPACE(bytes);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(bytes);
  const ChildFiles theirs{slot->files.in, slot->files.out,     slot->files.err,
                          slot->far_end,  slot->files.channel, slot->files.memory};
  std::memcpy(CMSG_DATA(header), &theirs, bytes);
  while (sendmsg(orders_, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
  return slot;
}

Slot* Broker::fork_slot() {
  Slot* slot = make_slot();
  if (slot == nullptr) return nullptr;
  slot->state = Slot::State::kAlive;
  slot->kill_sent = false;
  order(Order::Kind::kFork, slot->index);
  return slot;
}

void Broker::keep_spares() {
  const std::size_t wanted = files_ ? kSparesWithFiles : kSpares;
  if (spares_.size() >= wanted || Clock::now() < fork_again_) return;
  while (spares_.size() < wanted) {
    Slot* slot = fork_slot();
    if (slot == nullptr) return;
    spares_.push_back(slot);
  }
}

// Its activity is done with it.
void Broker::leave(Slot& slot, bool may_go_by_itself) {
  slot.activity = nullptr;
  slot.state = Slot::State::kLeaving;
  slot.inbox.clear();
  slot.outbox.clear();
  if (may_go_by_itself && !files_) {
    slot.kill_at = Clock::now() + kLeaveTime;
  } else {
    slot.kill_at = kNever;
    order(Order::Kind::kEnd, slot.index);
    slot.kill_sent = true;
  }
}

// Only of a child that is dead: nobody else holds the descriptors then.
void Broker::recycle(Slot& slot) {
  if (files_) {
    // Files that stay would be found by the next child, or fill the folder: then all of them must
    // go.
    const std::string name = std::to_string(slot.index);
    if (!empty_folder(kWorkFolder, name)) _exit(1);
  }
  for (const int fd : {slot.files.in, slot.files.out, slot.files.err}) empty_file(fd);
  lseek(slot.files.in, 0, SEEK_SET);
  empty_socket(slot.files.control);
  empty_socket(slot.far_end);
  slot.inbox = {};
  slot.outbox = {};
  slot.activity = nullptr;
  slot.state = Slot::State::kEmpty;
  if (files_ && slot.channel < 0) close_files(slot);  // it was passed on
}

void Broker::drop_idle_slots() {
  std::size_t idle = 0;
  for (Slot& slot : slots_) {
    if (slot.state != Slot::State::kEmpty || slot.files.in < 0 || ++idle <= kMaxIdleSlots) continue;
    close_files(slot);
    order(Order::Kind::kDropSlot, slot.index);
  }
}

void Broker::close_files(Slot& slot) {
  for (const int fd : {slot.files.in, slot.files.out, slot.files.err, slot.files.control,
                       slot.files.channel, slot.files.memory, slot.far_end, slot.channel}) {
    if (fd >= 0) close(fd);
  }
  slot.files = {};
  slot.far_end = slot.channel = -1;
}

// From here on the child alone holds its end, so that the host reads the end of the file when the
// child dies, however it dies. The memory goes ahead of all that the child will say, on its socket.
void Broker::pass_channel(std::uint64_t id, Slot& slot) {
  send_with(slot.files.channel, "M", slot.files.memory);
  close(std::exchange(slot.files.memory, -1));
  passed_.push_back({to_host_.size(), std::exchange(slot.channel, -1)});
  send_host(wire::encode_channel(id));
  close(std::exchange(slot.files.channel, -1));
  order(Order::Kind::kDropSlot, slot.index);
}

// --- jobs --------------------------------------------------------------------------------------

void Broker::start(wire::JobFrame job) {
  if (job.mode == wire::Mode::kForks) {
    forks_id_ = job.id;
    forks_left_ = job.calls.size();
    order(Order::Kind::kTimeForks, 0, forks_left_);
    return;
  }
  Activity& activity = activities_.emplace_back();
  activity.job = std::move(job);
  launch(activity);
}

// Gives the job, from its next call on, to a new child.
void Broker::launch(Activity& activity) {
  wire::JobFrame rest;
  const wire::JobFrame* job = &activity.job;
  if (activity.next > 0) {
    rest = activity.job;
    rest.calls.erase(rest.calls.begin(),
                     rest.calls.begin() + static_cast<std::ptrdiff_t>(activity.next));
    job = &rest;
  }
  Slot* slot = nullptr;
  if (spares_.empty()) {
    slot = fork_slot();
  } else {
    slot = spares_.front();
    spares_.pop_front();
  }
  activity.slot = slot;
  activity.condemned = false;
  activity.out_mark = activity.err_mark = 0;
  activity.loading = job->mode == wire::Mode::kBatch && job->calls.size() > 1;
  activity.waiting = false;
  begin_call(activity);
  activity.cpu_mark = 0;
  const double limit = job->program.limits.cpu_seconds;
  if (limit > 0) activity.ask_at = activity.start + duration_of(limit);
  if (slot == nullptr) {
    activity.condemned = true;  // check_limits() reports it
    return;
  }
  slot->activity = &activity;
  const std::string& input = job->program.input;
  if (!input.empty()) {
    (void)!pwrite(slot->files.in, input.data(), input.size(), 0);
    lseek(slot->files.in, 0, SEEK_SET);
  }
  if (job->channel && job->mode == wire::Mode::kSession && slot->channel >= 0) {
    pass_channel(job->id, *slot);
  }
  slot->outbox = wire::encode(*job);
  flush_child(*slot);
}

void Broker::begin_call(Activity& activity) {
  activity.start = Clock::now();
  activity.cpu_ticket = 0;
  activity.cpu_mark = -1;
  const double limit = activity.job.program.limits.cpu_seconds;
  // What is used before the mark is taken is a tenth of the limit at most.
  activity.ask_at = limit > 0 ? activity.start + duration_of(std::min(limit / 10, 0.01)) : kNever;
}

void Broker::call_session(std::uint64_t id, const Call& call) {
  for (Activity& activity : activities_) {
    if (activity.job.id != id || !activity.waiting || activity.slot == nullptr) continue;
    activity.waiting = false;
    begin_call(activity);
    activity.slot->outbox = wire::encode_call(id, call);
    flush_child(*activity.slot);
    return;
  }
  wire::Result result;
  result.id = id;
  result.status = OutcomeStatus::kCrashed;
  result.ended = true;
  result.message = "the session has ended";
  if (const auto found = epitaphs_.find(id); found != epitaphs_.end()) {
    std::tie(result.status, result.message) = found->second;
    epitaphs_.erase(found);
  }
  send_host(wire::encode(result));
}

void Broker::close_session(std::uint64_t id) {
  epitaphs_.erase(id);
  for (auto it = activities_.begin(); it != activities_.end(); ++it) {
    if (it->job.id != id) continue;
    if (it->slot != nullptr) leave(*it->slot, false);
    activities_.erase(it);
    return;
  }
}

wire::Result Broker::result_of(const Activity& activity) const {
  wire::Result result;
  result.id = activity.job.id;
  result.index = static_cast<std::uint32_t>(activity.next);
  result.wall_seconds = seconds_since(activity.start);
  return result;
}

void Broker::collect_output(Activity& activity, wire::Result& result, std::uint64_t out_end,
                            std::uint64_t err_end) {
  const std::uint64_t limit = activity.job.program.limits.output_bytes;
  const ChildFiles& files = activity.slot->files;
  result.out = file_range(files.out, activity.out_mark, out_end, limit);
  result.err = file_range(files.err, activity.err_mark, err_end, limit);
  activity.out_mark = std::max(activity.out_mark, out_end);
  activity.err_mark = std::max(activity.err_mark, err_end);
}

// Those that there are, of plain files only: a name may be a link to anything.
void Broker::fetch_files(const Activity& activity, wire::Result& result) const {
  if (!files_ || activity.slot == nullptr) return;
  const std::uint64_t limit = activity.job.program.limits.output_bytes;
  const std::string folder =
      std::string(kWorkFolder) + "/" + std::to_string(activity.slot->index) + "/";
  for (const std::string& name : activity.job.program.fetch) {
    if (!is_file_name(name)) continue;
    const int fd =
        open((folder + name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat info {};
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
      result.files.push_back({name, file_range(fd, 0, limit, limit)});
    }
    if (fd >= 0) close(fd);
  }
}

// The job is answered for, or will never be.
void Broker::end(Activity& activity) {
  for (auto it = activities_.begin(); it != activities_.end(); ++it) {
    if (&*it != &activity) continue;
    activities_.erase(it);
    return;
  }
}

// --- what children say --------------------------------------------------------------------------

void Broker::read_child(Activity& activity) {
  Slot& slot = *activity.slot;
  static char chunk[kReadChunk];
  const ssize_t got = recv(slot.files.control, chunk, sizeof(chunk), MSG_DONTWAIT);
  if (got <= 0) return;  // its end is told by the warm parent
  activity.read_at = Clock::now();
  slot.inbox.append(chunk, static_cast<std::size_t>(got));
  take_frames(activity);
}

void Broker::take_frames(Activity& activity) {
  Slot& slot = *activity.slot;
  const std::size_t most = longest_report(activity.job.program.limits);
  std::size_t used = 0;
  while (slot.activity == &activity && !activity.condemned) {
    wire::Frame frame;
    const std::string_view rest = std::string_view(slot.inbox).substr(used);
    const auto split = wire::split_frame(rest, most, frame);
    if (split == wire::Split::kNeedMore) break;
    if (split == wire::Split::kMalformed) {
      const bool too_long = wire::payload_bytes(rest) > most;
      return condemn(activity, too_long ? OutcomeStatus::kOutputLimit : OutcomeStatus::kCrashed,
                     too_long ? "the answer is longer than the output limit allows"
                              : "the process sent what is no answer");
    }
    used += frame.size;
    handle_child_frame(activity, frame);  // may end the activity
  }
  if (slot.activity != nullptr && used > 0) slot.inbox.erase(0, used);
}

void Broker::handle_child_frame(Activity& activity, const wire::Frame& frame) {
  if (activity.waiting) {
    return condemn(activity, OutcomeStatus::kCrashed, "the process answered without being asked");
  }
  // However fast it was.
  if (activity.job.program.limits.wall_seconds <= 0) return check_limits(activity);
  if (frame.kind == wire::Kind::kLoaded && activity.loading) {
    activity.loading = false;
    begin_call(activity);
    return;
  }
  const auto marks = wire::decode_marks(frame.payload);
  if (marks && frame.kind == wire::Kind::kLoadFailed) {
    wire::Result result = result_of(activity);
    collect_output(activity, result, marks->first, marks->second);
    result.report = frame.payload.substr(wire::kMarksBytes);
    fetch_files(activity, result);
    leave(*activity.slot, true);
    return fail_rest(activity, result);
  }
  if (marks && frame.kind == wire::Kind::kReport && !activity.loading) {
    return handle_report(activity, frame);
  }
  condemn(activity, OutcomeStatus::kCrashed, "the process sent what is no answer");
}

void Broker::handle_report(Activity& activity, const wire::Frame& frame) {
  const auto marks = *wire::decode_marks(frame.payload);
  wire::Result result = result_of(activity);
  collect_output(activity, result, marks.first, marks.second);
  result.report = frame.payload.substr(wire::kMarksBytes);
  if (activity.job.mode == wire::Mode::kSession) {
    activity.waiting = true;
    for (const int fd : {activity.slot->files.out, activity.slot->files.err}) empty_file(fd);
    activity.out_mark = activity.err_mark = 0;
    activity.start = Clock::now();
    activity.cpu_ticket = 0;
    activity.cpu_mark = -1;
    activity.ask_at = activity.start + kFirstLook;
    send_host(wire::encode(result));
    return;
  }
  ++activity.next;
  result.ended = activity.next >= activity.job.calls.size();
  if (result.ended) fetch_files(activity, result);
  send_host(wire::encode(result));
  if (result.ended) {
    leave(*activity.slot, true);
    return end(activity);
  }
  begin_call(activity);
}

// The program itself failed, so every call that is left has the same outcome.
void Broker::fail_rest(Activity& activity, const wire::Result& result) {
  wire::Result each = result;
  const std::size_t count = std::max<std::size_t>(activity.job.calls.size(), 1);
  for (std::size_t i = activity.next; i < count; ++i) {
    each.index = static_cast<std::uint32_t>(i);
    each.ended = i + 1 == count;
    send_host(wire::encode(each));
  }
  end(activity);
}

// --- limits and deaths --------------------------------------------------------------------------

Clock::time_point Broker::deadline(const Activity& activity) const {
  return activity.start + duration_of(activity.job.program.limits.wall_seconds);
}

void Broker::check_limits(Activity& activity) {
  if (activity.condemned) {
    if (activity.slot == nullptr) {
      wire::Result result = result_of(activity);
      result.status = OutcomeStatus::kCrashed;
      result.message = "the machine gives the sandbox no more processes";
      finish_call(activity, std::move(result));
    }
    return;
  }
  const auto now = Clock::now();
  if (!activity.waiting && now >= deadline(activity)) {
    return condemn(activity, OutcomeStatus::kTimeout, "no answer within the time limit");
  }
  if (now >= activity.ask_at && activity.cpu_ticket == 0) {
    activity.cpu_ticket = ++tickets_;
    activity.ask_at = kNever;
    order(Order::Kind::kCpu, activity.slot->index, activity.cpu_ticket);
  }
}

void Broker::handle_cpu(Activity& activity, double seconds) {
  activity.cpu_ticket = 0;
  const auto now = Clock::now();
  const double limit = activity.job.program.limits.cpu_seconds;
  if (activity.cpu_mark < 0) activity.cpu_mark = seconds;
  const double used = seconds - activity.cpu_mark;
  if (activity.waiting) {
    if (used > kIdleCpu) {
      return condemn(activity, OutcomeStatus::kCpu, "the session computed between two calls");
    }
    activity.ask_at = now + kLook;
  } else if (used >= limit) {
    condemn(activity, OutcomeStatus::kCpu, "the CPU limit is used up");
  } else {
    activity.ask_at = now + duration_of(std::max((limit - used) / 2, kShortestLook));
  }
}

// Kills the child; its call is reported once it is dead.
void Broker::condemn(Activity& activity, OutcomeStatus status, std::string message) {
  if (activity.condemned) return;
  activity.condemned = true;
  activity.reason = status;
  activity.message = std::move(message);
  if (activity.slot == nullptr) return;
  activity.slot->state = Slot::State::kLeaving;
  activity.slot->kill_at = kNever;
  activity.slot->kill_sent = true;
  order(Order::Kind::kEnd, activity.slot->index);
}

// Whether the kernel has killed for want of memory in our cgroup since we last asked.
bool Broker::out_of_memory() {
  char text[512] = {};
  if (oom_events_ < 0 || pread(oom_events_, text, sizeof(text) - 1, 0) <= 0) return false;
  const char* found = std::strstr(text, "oom_kill ");
  const std::uint64_t kills =
      found != nullptr ? std::strtoull(found + std::strlen("oom_kill "), nullptr, 10) : 0;
  return std::exchange(oom_kills_, kills) < kills;
}

void Broker::explain(const Activity& activity, const Notice& notice, wire::Result& result) {
  result.cpu_seconds = notice.seconds;
  result.peak_bytes = notice.peak_bytes;
  if (activity.condemned) {
    result.status = activity.reason;
    result.message = activity.message;
    return;
  }
  const int status = notice.status;
  if (WIFEXITED(status)) {
    result.status = OutcomeStatus::kCrashed;
    result.message = "the process ended by itself with exit code " +
                     std::to_string(WEXITSTATUS(status)) + " before it answered";
    return;
  }
  const int signal = WTERMSIG(status);
  const double cpu_limit = activity.job.program.limits.cpu_seconds;
  if (signal == SIGXFSZ) {
    result.status = OutcomeStatus::kOutputLimit;
    result.message = "more output than the output limit";
  } else if (signal == SIGXCPU ||
             (signal == SIGKILL && cpu_limit > 0 && notice.seconds >= cpu_limit)) {
    result.status = OutcomeStatus::kCpu;
    result.message = "the CPU limit is used up";
  } else if (signal == SIGSYS) {
    result.status = OutcomeStatus::kRefused;
    result.message = "the process made a system call that the sandbox forbids";
  } else if (signal == SIGKILL && out_of_memory()) {
    result.status = OutcomeStatus::kMemory;
    result.message = "the kernel killed the process, for want of memory";
  } else {
    const char* name = sigdescr_np(signal);
    result.status = OutcomeStatus::kCrashed;
    result.message = "the process died of signal " + std::to_string(signal) + " (" +
                     (name != nullptr ? name : "unknown") + ")";
  }
}

void Broker::slot_ended(Slot& slot, const Notice& notice) {
  Activity* activity = slot.activity;
  if (std::erase(spares_, &slot) > 0) {
    fork_again_ = Clock::now() + kForkAgain;
  }
  if (activity == nullptr) return recycle(slot);
  // A report sent before death counts.
  if (!activity->condemned) {
    std::array<char, kReadChunk> chunk;
    ssize_t got = 0;
    while (slot.activity == activity && !activity->condemned &&
           (got = recv(slot.files.control, chunk.data(), chunk.size(), MSG_DONTWAIT)) > 0) {
      slot.inbox.append(chunk.data(), static_cast<std::size_t>(got));
      take_frames(*activity);
    }
    if (slot.activity != activity) return recycle(slot);
  }
  wire::Result result = result_of(*activity);
  const bool shared_output = activity->out_mark > 0 || activity->err_mark > 0;
  if (notice.kind == Notice::Kind::kNoProcess) {
    result.status = OutcomeStatus::kCrashed;
    result.message = "the machine gives the sandbox no more processes";
  } else {
    explain(*activity, notice, result);
    if (!activity->waiting) {
      collect_output(*activity, result, std::numeric_limits<std::uint64_t>::max(),
                     std::numeric_limits<std::uint64_t>::max());
      fetch_files(*activity, result);
    }
  }
  activity->slot = nullptr;
  recycle(slot);
  // Of a session that dies between two calls the host hears when the next one comes.
  if (activity->waiting) {
    epitaphs_[activity->job.id] = {result.status, result.message};
    return end(*activity);
  }
  // The limit of a file is its size, which earlier calls have used: this call gets a file of its
  // own.
  const bool too_much = result.status == OutcomeStatus::kOutputLimit && !activity->condemned;
  if (too_much && shared_output) return launch(*activity);
  finish_call(*activity, std::move(result));
}

// The child is gone. Reports its call, and carries on with the next in a new child.
void Broker::finish_call(Activity& activity, wire::Result result) {
  if (activity.job.mode == wire::Mode::kSession) {
    result.ended = true;
    send_host(wire::encode(result));
    return end(activity);
  }
  if (activity.loading) return fail_rest(activity, result);
  ++activity.next;
  result.ended = activity.next >= activity.job.calls.size();
  const bool more = !result.ended;
  send_host(wire::encode(result));
  if (more) return launch(activity);
  end(activity);
}

// --- the warm parent ----------------------------------------------------------------------------

bool Broker::read_notices() {
  for (;;) {
    Notice notice;
    const ssize_t got = recv(orders_, &notice, sizeof(notice), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got != sizeof(notice)) return false;
    handle_notice(notice);
  }
}

void Broker::handle_notice(const Notice& notice) {
  if (notice.kind == Notice::Kind::kForked) {
    if (forks_left_ == 0) return;
    --forks_left_;
    wire::Result result;
    result.id = forks_id_;
    result.index = static_cast<std::uint32_t>(notice.number);
    result.wall_seconds = notice.seconds;
    result.status = notice.status == 0 ? OutcomeStatus::kError : OutcomeStatus::kCrashed;
    return send_host(wire::encode(result));
  }
  if (notice.slot >= slots_.size()) return;
  Slot& slot = slots_[notice.slot];
  if (notice.kind == Notice::Kind::kCpu) {
    Activity* activity = slot.activity;
    if (activity != nullptr && !activity->condemned && activity->cpu_ticket == notice.number) {
      handle_cpu(*activity, notice.seconds);
    }
  } else if (notice.kind != Notice::Kind::kReady && slot.state != Slot::State::kEmpty) {
    slot_ended(slot, notice);
  }
}

// --- the host -----------------------------------------------------------------------------------

// False: not a host's words.
bool Broker::handle_host_frame(const wire::Frame& frame) {
  if (frame.kind == wire::Kind::kJob) {
    auto job = wire::decode_job(frame.payload);
    if (!job) return false;
    start(std::move(*job));
  } else if (frame.kind == wire::Kind::kCall) {
    const auto call = wire::decode_call(frame.payload);
    if (!call) return false;
    call_session(call->first, call->second);
  } else if (frame.kind == wire::Kind::kClose) {
    const auto id = wire::decode_close(frame.payload);
    if (!id) return false;
    close_session(*id);
  }
  return true;
}

// False: the host hung up.
bool Broker::read_host() {
  static char chunk[kReadChunk];
  for (;;) {
    const ssize_t got = recv(host_, chunk, sizeof(chunk), MSG_DONTWAIT);
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
    if (!handle_host_frame(frame)) return false;
    used += frame.size;
  }
  from_host_.erase(0, used);
  return true;
}

void Broker::send_host(std::string bytes) {
  if (to_host_.empty()) {
    to_host_ = std::move(bytes);
  } else {
    to_host_ += bytes;
  }
}

// Sends to_host_ from `begin` up to the next byte that a descriptor goes with; that byte first, if
// it is the first. As ::send() answers.
ssize_t Broker::send_part(std::size_t begin) {
  const bool carries = !passed_.empty() && passed_.front().at == begin;
  std::size_t end = to_host_.size();
  if (!passed_.empty()) end = carries ? begin + 1 : passed_.front().at;
  const std::string_view bytes = std::string_view(to_host_).substr(begin, end - begin);
  const ssize_t sent = send_with(host_, bytes, carries ? passed_.front().descriptor : -1);
  if (carries && sent > 0) {
    close(passed_.front().descriptor);
    passed_.pop_front();
  }
  return sent;
}

bool Broker::flush_host() {
  std::size_t sent = 0;
  while (sent < to_host_.size()) {
    const ssize_t n = send_part(sent);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  to_host_.erase(0, sent);
  for (Passed& next : passed_) next.at -= sent;
  return true;
}

void Broker::flush_child(Slot& slot) {
  std::size_t sent = 0;
  while (sent < slot.outbox.size()) {
    const ssize_t n = ::send(slot.files.control, slot.outbox.data() + sent,
                             slot.outbox.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    sent += static_cast<std::size_t>(n);
  }
  slot.outbox.erase(0, sent);
}

// A long batch of short calls would wake the broker once for each answer. The broker leaves a
// socket alone for a moment after reading it, so that answers collect there; it holds several
// hundred.
bool Broker::is_lazy(const Activity& activity) {
  return activity.slot != nullptr && activity.slot->outbox.empty() &&
         activity.next + kLazyCalls < activity.job.calls.size() &&
         Clock::now() - activity.read_at < std::chrono::milliseconds(kLazyMs);
}

int Broker::poll_timeout() const {
  auto next = Clock::now() + std::chrono::hours(1);
  if (spares_.empty()) next = std::min(next, fork_again_);
  for (const Activity& activity : activities_) {
    if (activity.condemned) {
      if (activity.slot == nullptr) return 0;
      continue;
    }
    if (!activity.waiting) next = std::min(next, deadline(activity));
    if (activity.cpu_ticket == 0) next = std::min(next, activity.ask_at);
    if (is_lazy(activity)) next = std::min(next, Clock::now() + std::chrono::milliseconds(kLazyMs));
  }
  for (const Slot& slot : slots_) {
    if (slot.state == Slot::State::kLeaving && !slot.kill_sent) next = std::min(next, slot.kill_at);
  }
  const double ms = std::chrono::duration<double, std::milli>(next - Clock::now()).count();
  return static_cast<int>(std::ceil(std::max(ms, 0.0)));
}

void Broker::run() {
  std::vector<pollfd> events;
  std::vector<Slot*> watched;
  for (;;) {
    if (!flush_host()) return;
    keep_spares();
    events.clear();
    watched.clear();
    // The folders of all children share one quota: the next job waits until the last is gone.
    const bool cleaning = files_ && std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
                            return slot.state == Slot::State::kLeaving;
                          });
    const int wanted = (cleaning ? 0 : POLLIN) | (to_host_.empty() ? 0 : POLLOUT);
    events.push_back({host_, static_cast<short>(wanted), 0});
    events.push_back({orders_, POLLIN, 0});
    for (const Activity& activity : activities_) {
      if (activity.slot == nullptr || activity.condemned || is_lazy(activity)) continue;
      const bool unsent = !activity.slot->outbox.empty();
      watched.push_back(activity.slot);
      events.push_back({activity.slot->files.control,
                        static_cast<short>(unsent ? POLLIN | POLLOUT : POLLIN), 0});
    }
    if (poll(events.data(), events.size(), poll_timeout()) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < watched.size(); ++i) {
      Slot& slot = *watched[i];
      const short happened = events[i + 2].revents;
      if ((happened & POLLOUT) != 0 && slot.activity != nullptr) flush_child(slot);
      if ((happened & POLLIN) != 0 && slot.activity != nullptr) read_child(*slot.activity);
    }
    // The host hears of it before anything else is done.
    if (!flush_host()) return;
    if (events[1].revents != 0 && !read_notices()) return;
    if (events[0].revents != 0 && !read_host()) return;
    for (auto it = activities_.begin(); it != activities_.end();) {
      Activity& activity = *it++;
      check_limits(activity);  // may end it
    }
    const auto now = Clock::now();
    for (Slot& slot : slots_) {
      if (slot.state != Slot::State::kLeaving || slot.kill_sent || now < slot.kill_at) continue;
      order(Order::Kind::kEnd, slot.index);
      slot.kill_sent = true;
    }
    drop_idle_slots();
  }
}

}  // namespace redqueen::sandbox::worker
