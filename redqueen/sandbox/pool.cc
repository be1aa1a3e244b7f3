#include "redqueen/sandbox/pool.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "redqueen/base/clock.h"
#include "redqueen/sandbox/layers.h"

namespace redqueen::sandbox {
namespace {

// The time that a worker may take beyond its jobs' own limits before it counts as dead: a busy
// machine is slow, and the end of a large process takes its time.
constexpr auto kGrace = std::chrono::seconds(20);
constexpr int kMaxFailedStarts = 3;
constexpr std::size_t kMaxScan = 256;  // requests looked at to find one that a free worker can take
constexpr int kWatchMs = 1000;

// No number is no time: whatever compares with it would be false.
void repair(Limits& limits) {
  if (std::isnan(limits.wall_seconds)) limits.wall_seconds = 0;
}

wire::Result crashed(std::string message) {
  wire::Result result;
  result.status = OutcomeStatus::kCrashed;
  result.message = std::move(message);
  return result;
}

}  // namespace

Pool::Pool(SandboxConfig config, std::string program)
    : config_(std::move(config)), program_(std::move(program)) {
  size_ = config_.workers > 0 ? config_.workers
                              : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

Expected<std::shared_ptr<Pool>> Pool::start(const SandboxConfig& config) {
  const auto program = find_worker_program(config);
  if (!program) return tl::make_unexpected(program.error());
  std::shared_ptr<Pool> pool(new Pool(config, *program));
  if (const Status status = pool->await_first_worker(); !status) {
    return tl::make_unexpected(status.error());
  }
  const std::string missing = missing_layers(pool->layers());
  if (config.on_missing_layers != nullptr && !missing.empty()) config.on_missing_layers(missing);
  return pool;
}

Status Pool::await_first_worker() {
  Lock lock(mutex_);
  for (int i = 0; i < size_; ++i) start_worker({});
  if (workers_.empty()) give_up(start_error_);
  drive_while(lock, [this] { return !first_; });
  return *first_;
}

Pool::Ticket::~Ticket() {
  if (channel >= 0) ::close(channel);
}

Pool::~Pool() {
  stop();
  ::close(wake_fd_);
}

void Pool::stop() {
  {
    Lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  wake();
  if (background_.joinable()) background_.join();
  Lock lock(mutex_);
  ++waiting_;
  changed_.wait(lock, [this] { return !driving_; });
  --waiting_;
  give_up("the sandbox is closing");
  workers_.clear();
}

void Pool::wake() const {
  const std::uint64_t one = 1;
  (void)!write(wake_fd_, &one, sizeof(one));
}

// --- requests -----------------------------------------------------------------------------------

void Pool::finish(const Handle& ticket) {
  ticket->done = true;
  if (ticket->in_background) --open_in_background_;
  if (waiting_ > 0) changed_.notify_all();
}

void Pool::fail(const Handle& ticket, std::string message) {
  ticket->results = {crashed(std::move(message))};
  finish(ticket);
}

Pool::Handle Pool::submit(wire::JobFrame job, bool in_background) {
  job.id = next_id_++;
  repair(job.program.limits);
  Request request;
  request.ticket = std::make_shared<Ticket>();
  request.ticket->output_bytes = job.program.limits.output_bytes;
  request.ticket->in_background = in_background;
  request.job = std::move(job);
  Handle ticket = request.ticket;
  Lock lock(mutex_);
  if (in_background) {
    ++open_in_background_;
    if (!background_.joinable()) background_ = std::thread([this] { serve_in_background(); });
    changed_.notify_all();
  }
  if (stopping_) {
    ticket->results.assign(request.expected(), crashed("the sandbox is closing"));
    finish(ticket);
  } else if (!queue_.empty() || !place(request)) {
    queue_.push_back(std::move(request));
    if (driving_) wake();
  }
  return ticket;
}

Pool::Handle Pool::open(Program program, std::uint64_t& session, bool channel) {
  wire::JobFrame job;
  job.channel = channel;
  job.id = session = next_id_++;
  job.mode = wire::Mode::kSession;
  job.program = std::move(program);
  repair(job.program.limits);
  auto ticket = std::make_shared<Ticket>();
  ticket->output_bytes = job.program.limits.output_bytes;
  const Lock lock(mutex_);
  if (stopping_) {
    fail(ticket, "the sandbox is closing");
  } else {
    opening_.emplace_back(std::move(job), ticket);
    if (driving_) wake();
  }
  return ticket;
}

Pool::Handle Pool::call(std::uint64_t id, const Call& call) {
  auto ticket = std::make_shared<Ticket>();
  const Lock lock(mutex_);
  for (Worker& worker : workers_) {
    const auto found = worker.sessions.find(id);
    if (found == worker.sessions.end()) continue;
    OpenSession& session = found->second;
    ticket->output_bytes = session.limits.output_bytes;
    session.waiting.push_back(ticket);
    session.deadline = Clock::now() + duration_of(session.limits.wall_seconds) + kGrace;
    worker.process.send(wire::encode_call(id, call));
    if (driving_ && worker.process.has_unsent()) wake();
    return ticket;
  }
  fail(ticket, "the session has ended");
  return ticket;
}

void Pool::close(std::uint64_t id) {
  const Lock lock(mutex_);
  for (Worker& worker : workers_) {
    const auto found = worker.sessions.find(id);
    if (found == worker.sessions.end()) continue;
    for (const Handle& ticket : found->second.waiting) fail(ticket, "the session was closed");
    worker.sessions.erase(found);
    worker.process.send(wire::encode_close(id));
    if (driving_ && worker.process.has_unsent()) wake();
    return;
  }
}

std::vector<int> Pool::worker_pids() {
  const Lock lock(mutex_);
  std::vector<int> pids;
  for (const Worker& worker : workers_) pids.push_back(worker.process.pid());
  return pids;
}

// --- driving ------------------------------------------------------------------------------------

Pool::Results Pool::wait(Ticket& ticket) {
  Lock lock(mutex_);
  drive_while(lock, [&ticket] { return !ticket.done; });
  return std::move(ticket.results);
}

bool Pool::wait_until(const Ticket& ticket, Clock::time_point when) {
  Lock lock(mutex_);
  drive_while(
      lock, [&] { return !ticket.done && Clock::now() < when; }, when);
  return ticket.done;
}

void Pool::call_off(const Ticket& ticket) {
  const Lock lock(mutex_);
  std::erase_if(queue_, [&](Request& request) {
    if (request.ticket.get() != &ticket) return false;
    request.ticket->results.resize(request.offset + request.expected(),
                                   crashed("it was called off"));
    finish(request.ticket);
    return true;
  });
  for (Worker& worker : workers_) {
    if (!worker.request || worker.request->ticket.get() != &ticket) continue;
    worker.request->deaths = 1;             // so that nobody tries again
    ::kill(worker.process.pid(), SIGKILL);  // the driver finds it lost
  }
}

bool Pool::is_done(const Ticket& ticket) const {
  const Lock lock(mutex_);
  return ticket.done;
}

void Pool::drive_while(Lock& lock, const std::function<bool()>& condition,
                       Clock::time_point until) {
  while (condition()) {
    if (driving_) {
      ++waiting_;
      if (until == kForEver) {
        changed_.wait(lock);
      } else {
        changed_.wait_until(lock, until);
      }
      --waiting_;
      continue;
    }
    driving_ = true;
    drive(lock, until);
    driving_ = false;
  }
  // Somebody else takes over.
  if (waiting_ > 0 && !driving_) changed_.notify_all();
}

void Pool::serve_in_background() {
  Lock lock(mutex_);
  while (!stopping_) {
    if (open_in_background_ == 0 || driving_) {
      ++waiting_;
      changed_.wait(lock);
      --waiting_;
      continue;
    }
    drive_while(lock, [this] { return open_in_background_ > 0 && !stopping_; });
  }
}

int Pool::poll_timeout(Clock::time_point until) const {
  const int watch = workers_.empty() && queue_.empty() ? -1 : kWatchMs;
  if (until == kForEver) return watch;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, kWatchMs));
}

void Pool::drive(Lock& lock, Clock::time_point until) {
  if (stopping_) return give_up("the sandbox is closing");
  for (auto& [job, ticket] : std::exchange(opening_, {})) open_now(job, ticket);
  schedule();
  std::vector<pollfd> events(1, {wake_fd_, POLLIN, 0});
  for (const Worker& worker : workers_) {
    const short wanted = worker.process.has_unsent() ? POLLIN | POLLOUT : POLLIN;
    events.push_back({worker.process.socket(), wanted, 0});
  }
  const int timeout = poll_timeout(until);
  lock.unlock();
  poll(events.data(), events.size(), timeout);
  lock.lock();
  std::uint64_t ignored = 0;
  if (events[0].revents != 0) (void)!::read(wake_fd_, &ignored, sizeof(ignored));
  auto event = events.begin() + 1;
  for (auto it = workers_.begin(); it != workers_.end(); ++event) {
    bool alive = !overdue(*it);
    if (alive && (event->revents & POLLOUT) != 0) alive = it->process.flush();
    if (alive && (event->revents & ~POLLOUT) != 0) alive = read(*it);
    if (!alive) lose(*it);
    it = alive ? std::next(it) : workers_.erase(it);
  }
}

// Gives queued requests to free workers, in order as far as hash seeds allow, and starts workers
// where they lack.
void Pool::schedule() {
  std::size_t scanned = 0;
  for (auto it = queue_.begin(); it != queue_.end() && scanned < kMaxScan; ++scanned) {
    const auto busy = std::count_if(workers_.begin(), workers_.end(),
                                    [](const Worker& w) { return w.request.has_value(); });
    if (busy >= size_) break;
    it = place(*it) ? queue_.erase(it) : std::next(it);
  }
  // Those that wait for an interpreter with their hash seed: start as many as could run at once.
  std::map<Kind, int> lacking;
  scanned = 0;
  for (const Request& request : queue_) {
    if (++scanned > kMaxScan) break;
    ++lacking[kind_of(request.job)];
  }
  for (const auto& [kind, count] : lacking) {
    const auto present = std::count_if(workers_.begin(), workers_.end(),
                                       [kind = kind](const Worker& w) { return w.kind == kind; });
    for (auto i = present; i < std::min<std::ptrdiff_t>(size_, count); ++i) {
      if (!make_room(lacking) || start_worker(kind) == nullptr) return;
    }
  }
}

// A worker has become free: the first request that can run now goes out, to it or to another with
// its hash seed.
void Pool::feed(Worker& worker) {
  std::size_t scanned = 0;
  for (auto it = queue_.begin(); it != queue_.end() && scanned < kMaxScan; ++it, ++scanned) {
    if (kind_of(it->job) == worker.kind) {
      dispatch(worker, std::move(*it));
    } else if (!place(*it)) {
      continue;
    }
    queue_.erase(it);
    return;
  }
}

bool Pool::place(Request& request) {
  for (Worker& worker : workers_) {
    if (!worker.ready || worker.request || worker.kind != kind_of(request.job)) {
      continue;
    }
    dispatch(worker, std::move(request));
    return true;
  }
  return false;
}

void Pool::dispatch(Worker& worker, Request request) {
  worker.used = Clock::now();
  request.deadline =
      worker.used + duration_of(2 * request.job.program.limits.wall_seconds) + kGrace;
  const bool alive = worker.process.send(wire::encode(request.job));
  worker.request = std::move(request);
  if (!alive) worker.request->deadline = worker.used;  // the loop finds it lost at once
}

// Null, and a failure counted: it cannot be started.
Pool::Worker* Pool::start_worker(Kind kind) {
  auto process = WorkerProcess::start(program_, config_, kind.hash_seed, kind.runtime);
  if (process) return &workers_.emplace_back(std::move(*process), kind);
  start_error_ = process.error().message;
  if (++failed_starts_ >= kMaxFailedStarts) give_up(start_error_);
  return nullptr;
}

// Room for one more interpreter: ends the idle one that was used longest ago, if there are as many
// as may be kept and its hash seed is not among those that requests wait for. False: wait until one
// of them is done.
bool Pool::make_room(const std::map<Kind, int>& wanted) {
  const auto most = static_cast<std::size_t>(size_) *
                    static_cast<std::size_t>(std::max(1, config_.warm_hash_seeds));
  if (workers_.size() < most) return true;
  auto oldest = workers_.end();
  bool will_change = false;
  for (auto it = workers_.begin(); it != workers_.end(); ++it) {
    const bool awaited = wanted.contains(it->kind);
    will_change = will_change || !it->ready || it->request || awaited;
    if (it->request || !it->sessions.empty() || !it->ready || awaited) continue;
    if (oldest == workers_.end() || it->used < oldest->used) oldest = it;
  }
  if (oldest == workers_.end()) return !will_change;
  workers_.erase(oldest);
  return true;
}

// --- sessions -----------------------------------------------------------------------------------

void Pool::open_now(const wire::JobFrame& job, const Handle& ticket) {
  Worker* chosen = nullptr;
  int with_seed = 0;
  for (Worker& worker : workers_) {
    if (worker.kind != kind_of(job)) continue;
    ++with_seed;
    if (chosen == nullptr || worker.sessions.size() < chosen->sessions.size()) chosen = &worker;
  }
  if (chosen == nullptr || (with_seed < size_ && !chosen->sessions.empty())) {
    make_room({});
    Worker* fresh = start_worker(kind_of(job));
    if (fresh != nullptr) chosen = fresh;
  }
  if (chosen == nullptr) return fail(ticket, "no worker for the session: " + start_error_);
  OpenSession session;
  session.limits = job.program.limits;
  session.waiting.push_back(ticket);
  session.deadline = Clock::now() + duration_of(session.limits.wall_seconds) + kGrace;
  chosen->sessions.emplace(job.id, std::move(session));
  chosen->process.send(wire::encode(job));
}

// --- what workers say ---------------------------------------------------------------------------

bool Pool::read(Worker& worker) {
  const bool alive = worker.process.receive();
  for (;;) {
    wire::Frame frame;
    const auto split = worker.process.next(frame);
    if (split == wire::Split::kNeedMore) return alive;
    if (split == wire::Split::kMalformed || !handle(worker, frame)) return false;
    worker.process.drop(frame);
  }
}

bool Pool::handle(Worker& worker, const wire::Frame& frame) {
  if (frame.kind == wire::Kind::kReady) return handle_ready(worker, frame);
  if (frame.kind == wire::Kind::kChannel) return handle_channel(worker, frame);
  if (frame.kind != wire::Kind::kResult) return false;
  auto result = wire::decode_result(frame.payload);
  if (!result) return false;
  handle_result(worker, std::move(*result));
  return true;
}

bool Pool::handle_ready(Worker& worker, const wire::Frame& frame) {
  auto ready = wire::decode_ready(frame.payload);
  if (!ready) return false;
  Status fit = ready->error.empty()
                   ? check_layers(ready->layers, config_.require)
                   : failure("the sandbox's worker cannot serve: {}.", ready->error);
  if (!fit) {
    start_error_ = fit.error().message;
    return false;  // lose() counts it
  }
  failed_starts_ = 0;
  worker.ready = true;
  if (!first_) {
    layers_ = std::move(ready->layers);
    first_ = Status{};
  }
  return true;
}

// The session's first ticket, that of its opening, keeps the descriptor for whoever waits.
bool Pool::handle_channel(Worker& worker, const wire::Frame& frame) {
  const auto id = wire::decode_channel(frame.payload);
  const int descriptor = worker.process.take_descriptor();
  if (!id || descriptor < 0) return false;
  const auto found = worker.sessions.find(*id);
  const bool awaited = found != worker.sessions.end() && !found->second.waiting.empty() &&
                       found->second.waiting.front()->channel < 0;
  if (awaited) {
    found->second.waiting.front()->channel = descriptor;
  } else {
    ::close(descriptor);  // it was closed meanwhile
  }
  return true;
}

void Pool::handle_result(Worker& worker, wire::Result result) {
  if (!worker.request || worker.request->job.id != result.id) {
    handle_session_result(worker, std::move(result));
    return;
  }
  Request& request = *worker.request;
  Results& results = request.ticket->results;
  if (request.offset + result.index != results.size()) return;  // not in order: not ours
  results.push_back(std::move(result));
  request.deadline =
      Clock::now() + duration_of(2 * request.job.program.limits.wall_seconds) + kGrace;
  if (results.size() - request.offset < request.expected()) return;
  const Handle ticket = std::move(request.ticket);
  worker.request.reset();
  worker.used = Clock::now();
  // The next job goes out before anybody looks at this one. No worker starts or ends here: the
  // loop is walking over them.
  feed(worker);
  finish(ticket);
}

void Pool::handle_session_result(Worker& worker, wire::Result result) {
  const auto found = worker.sessions.find(result.id);
  if (found == worker.sessions.end() || found->second.waiting.empty()) return;
  OpenSession& session = found->second;
  const Handle ticket = std::move(session.waiting.front());
  session.waiting.pop_front();
  session.deadline = Clock::now() + duration_of(session.limits.wall_seconds) + kGrace;
  if (result.ended) {
    for (const Handle& each : session.waiting) fail(each, "the session has ended");
    worker.sessions.erase(found);
  }
  ticket->results = {std::move(result)};
  finish(ticket);
}

// --- losses -------------------------------------------------------------------------------------

bool Pool::overdue(const Worker& worker) const {
  const auto now = Clock::now();
  if (worker.request && now > worker.request->deadline) return true;
  return std::any_of(worker.sessions.begin(), worker.sessions.end(), [now](const auto& entry) {
    return !entry.second.waiting.empty() && now > entry.second.deadline;
  });
}

// The worker died, was killed, or talks nonsense. It is erased after this.
void Pool::lose(Worker& worker) {
  for (auto& [id, session] : worker.sessions) {
    for (const Handle& ticket : session.waiting) fail(ticket, "the worker of the session died");
  }
  if (worker.request) retry_or_fail(std::move(*worker.request));
  if (worker.ready) return;
  if (worker.kind.runtime != Runtime::kPlain) return give_up_kind(worker.kind);
  if (start_error_.empty()) start_error_ = "The sandbox's worker died while it started.";
  if (++failed_starts_ >= std::min(kMaxFailedStarts, size_)) give_up(start_error_);
}

// The call that ran is lost; those after it never started, and get one more worker.
void Pool::retry_or_fail(Request request) {
  Results& results = request.ticket->results;
  const std::size_t total = request.offset + request.expected();
  results.push_back(crashed("the worker died while this ran"));
  if (results.size() < total && request.deaths == 0) {
    ++request.deaths;
    auto& calls = request.job.calls;
    const std::size_t answered = results.size() - request.offset;
    calls.erase(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(answered));
    request.offset = results.size();
    queue_.push_front(std::move(request));
    return;
  }
  results.resize(total, crashed("the worker died before this started"));
  finish(request.ticket);
}

// A profile of its own cannot start: what waits for it comes back as crashed.
void Pool::give_up_kind(const Kind& kind) {
  const std::string why = std::exchange(start_error_, {});
  std::erase_if(queue_, [&](Request& request) {
    if (kind_of(request.job) != kind) return false;
    request.ticket->results.resize(request.offset + request.expected(), crashed(why));
    finish(request.ticket);
    return true;
  });
}

// Nothing can run: everything that waits comes back as crashed.
void Pool::give_up(const std::string& why) {
  if (!first_) first_ = failure("{}", why);
  failed_starts_ = 0;
  std::deque<Request> queue = std::move(queue_);
  queue_.clear();
  for (Worker& worker : workers_) {
    if (worker.request) queue.push_back(std::move(*std::exchange(worker.request, std::nullopt)));
    for (auto& [id, session] : worker.sessions) {
      for (const Handle& ticket : session.waiting) fail(ticket, why);
    }
    worker.sessions.clear();
  }
  for (auto& [job, ticket] : std::exchange(opening_, {})) fail(ticket, why);
  for (Request& request : queue) {
    request.ticket->results.resize(request.offset + request.expected(), crashed(why));
    finish(request.ticket);
  }
}

}  // namespace redqueen::sandbox
