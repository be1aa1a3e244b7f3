#include "redqueen/sandbox/pool.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <utility>

#include "redqueen/sandbox/outcome_text.h"

namespace redqueen {
namespace {

// What a worker may take beyond its jobs' own limits before it is held for dead: a busy machine is slow, and the end
// of a large process takes its time.
constexpr auto kGrace = std::chrono::seconds(20);
constexpr int kMaxFailedStarts = 3;
constexpr std::size_t kMaxScan = 256;  // requests looked at to find one that a free worker can take
constexpr int kWatchMs = 1000;

std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e7) * 1e9));
}

// No number is no time: whatever compares with it would be false.
void repair(Limits& limits) {
  if (std::isnan(limits.wall_seconds)) limits.wall_seconds = 0;
}

Outcome crashed(std::string message) {
  Outcome outcome;
  outcome.message = std::move(message);
  return outcome;
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
  return pool;
}

Status Pool::await_first_worker() {
  std::promise<Status> promise;
  auto answer = promise.get_future();
  first_ = [&promise](Status status) { promise.set_value(std::move(status)); };
  thread_ = std::thread([this] { loop(); });
  post([this] {
    for (int i = 0; i < size_; ++i) start_worker(0);
    if (workers_.empty()) give_up(start_error_);
  });
  return answer.get();
}

Pool::~Pool() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
  ::close(wake_fd_);
}

void Pool::post(std::function<void()> command) {
  {
    const std::scoped_lock lock(mutex_);
    commands_.push_back(std::move(command));
    if (commands_.size() > 1) return;  // the thread knows already
  }
  wake();
}

void Pool::wake() const {
  const std::uint64_t one = 1;
  (void)!write(wake_fd_, &one, sizeof(one));
}

// --- requests ------------------------------------------------------------------------------------

void Pool::submit(wire::JobFrame job, Done done) {
  job.id = next_id_++;
  repair(job.program.limits);
  Request request;
  request.job = std::move(job);
  request.done = std::move(done);
  auto shared = std::make_shared<Request>(std::move(request));
  post([this, shared] { queue_.push_back(std::move(*shared)); });
}

std::uint64_t Pool::open(Program program, Done done) {
  auto job = std::make_shared<wire::JobFrame>();
  job->id = next_id_++;
  job->mode = wire::Mode::kSession;
  job->program = std::move(program);
  repair(job->program.limits);
  const std::uint64_t id = job->id;
  post([this, job, done = std::move(done)]() mutable {
    open_now(std::move(*job), std::move(done));
  });
  return id;
}

void Pool::call(std::uint64_t session, Call call, Done done) {
  post([this, session, call = std::move(call), done = std::move(done)]() mutable {
    call_now(session, call, std::move(done));
  });
}

void Pool::close(std::uint64_t session) {
  post([this, session] { close_now(session); });
}

std::vector<int> Pool::worker_pids() {
  std::promise<std::vector<int>> promise;
  auto answer = promise.get_future();
  post([this, &promise] {
    std::vector<int> pids;
    for (const Worker& worker : workers_) pids.push_back(worker.process.pid());
    promise.set_value(std::move(pids));
  });
  return answer.get();
}

// --- the loop ------------------------------------------------------------------------------------

void Pool::run_commands() {
  std::vector<std::function<void()>> commands;
  {
    const std::scoped_lock lock(mutex_);
    commands.swap(commands_);
  }
  for (auto& command : commands) command();
}

int Pool::poll_timeout() const { return workers_.empty() && queue_.empty() ? -1 : kWatchMs; }

void Pool::loop() {
  std::vector<pollfd> events;
  for (;;) {
    run_commands();
    {
      const std::scoped_lock lock(mutex_);
      if (stopping_) break;
    }
    schedule();
    events.assign(1, {wake_fd_, POLLIN, 0});
    for (const Worker& worker : workers_) {
      const short wanted = worker.process.has_unsent() ? POLLIN | POLLOUT : POLLIN;
      events.push_back({worker.process.socket(), wanted, 0});
    }
    poll(events.data(), events.size(), poll_timeout());
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
  give_up("the sandbox is closing");
}

// Gives queued requests to free workers, in order as far as hash seeds allow, and starts workers where they lack.
void Pool::schedule() {
  std::size_t scanned = 0;
  for (auto it = queue_.begin(); it != queue_.end() && scanned < kMaxScan; ++scanned) {
    const auto busy = std::count_if(workers_.begin(), workers_.end(),
                                    [](const Worker& w) { return w.request.has_value(); });
    if (busy >= size_) break;
    it = place(*it) ? queue_.erase(it) : std::next(it);
  }
  // Those that wait for an interpreter with their hash seed: start as many as could run at once.
  std::map<std::uint64_t, int> lacking;
  scanned = 0;
  for (const Request& request : queue_) {
    if (++scanned > kMaxScan) break;
    ++lacking[request.job.program.hash_seed];
  }
  for (const auto& [seed, count] : lacking) {
    const auto present =
        std::count_if(workers_.begin(), workers_.end(),
                      [seed = seed](const Worker& w) { return w.hash_seed == seed; });
    for (auto i = present; i < std::min<std::ptrdiff_t>(size_, count); ++i) {
      if (!make_room(lacking) || start_worker(seed) == nullptr) return;
    }
  }
}

// A worker has become free: the first request that can run now goes out, to it or to another with its hash seed.
void Pool::feed(Worker& worker) {
  std::size_t scanned = 0;
  for (auto it = queue_.begin(); it != queue_.end() && scanned < kMaxScan; ++it, ++scanned) {
    if (it->job.program.hash_seed == worker.hash_seed) {
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
    if (!worker.ready || worker.request || worker.hash_seed != request.job.program.hash_seed) {
      continue;
    }
    dispatch(worker, std::move(request));
    return true;
  }
  return false;
}

void Pool::dispatch(Worker& worker, Request request) {
  worker.used = Clock::now();
  request.deadline = worker.used + duration(2 * request.job.program.limits.wall_seconds) + kGrace;
  const bool alive = worker.process.send(wire::encode(request.job));
  worker.request = std::move(request);
  if (!alive) worker.request->deadline = worker.used;  // the loop finds it lost at once
}

// Null, and a failure counted: it cannot be started.
Pool::Worker* Pool::start_worker(std::uint64_t hash_seed) {
  auto process = WorkerProcess::start(program_, config_, hash_seed);
  if (process) return &workers_.emplace_back(std::move(*process), hash_seed);
  start_error_ = process.error().message;
  if (++failed_starts_ >= kMaxFailedStarts) give_up(start_error_);
  return nullptr;
}

// Room for one more interpreter: ends the idle one that was used longest ago, if there are as many as may be kept and its
// hash seed is not among those that requests wait for. False: wait until one of them is done.
bool Pool::make_room(const std::map<std::uint64_t, int>& wanted) {
  const auto most = static_cast<std::size_t>(size_) *
                    static_cast<std::size_t>(std::max(1, config_.warm_hash_seeds));
  if (workers_.size() < most) return true;
  auto oldest = workers_.end();
  bool will_change = false;
  for (auto it = workers_.begin(); it != workers_.end(); ++it) {
    const bool awaited = wanted.contains(it->hash_seed);
    will_change = will_change || !it->ready || it->request || awaited;
    if (it->request || !it->sessions.empty() || !it->ready || awaited) continue;
    if (oldest == workers_.end() || it->used < oldest->used) oldest = it;
  }
  if (oldest == workers_.end()) return !will_change;
  workers_.erase(oldest);
  return true;
}

// --- sessions ------------------------------------------------------------------------------------

void Pool::open_now(wire::JobFrame job, Done done) {
  Worker* chosen = nullptr;
  int with_seed = 0;
  for (Worker& worker : workers_) {
    if (worker.hash_seed != job.program.hash_seed) continue;
    ++with_seed;
    if (chosen == nullptr || worker.sessions.size() < chosen->sessions.size()) chosen = &worker;
  }
  if (chosen == nullptr || (with_seed < size_ && !chosen->sessions.empty())) {
    make_room({});
    Worker* fresh = start_worker(job.program.hash_seed);
    if (fresh != nullptr) chosen = fresh;
  }
  if (chosen == nullptr) return done({crashed("no worker for the session: " + start_error_)});
  OpenSession session;
  session.limits = job.program.limits;
  session.waiting.push_back(std::move(done));
  session.deadline = Clock::now() + duration(session.limits.wall_seconds) + kGrace;
  chosen->sessions.emplace(job.id, std::move(session));
  chosen->process.send(wire::encode(job));
}

void Pool::call_now(std::uint64_t id, const Call& call, Done done) {
  for (Worker& worker : workers_) {
    const auto found = worker.sessions.find(id);
    if (found == worker.sessions.end()) continue;
    OpenSession& session = found->second;
    session.waiting.push_back(std::move(done));
    session.deadline = Clock::now() + duration(session.limits.wall_seconds) + kGrace;
    worker.process.send(wire::encode_call(id, call));
    return;
  }
  done({crashed("the session has ended")});
}

void Pool::close_now(std::uint64_t id) {
  for (Worker& worker : workers_) {
    const auto found = worker.sessions.find(id);
    if (found == worker.sessions.end()) continue;
    for (Done& done : found->second.waiting) done({crashed("the session was closed")});
    worker.sessions.erase(found);
    worker.process.send(wire::encode_close(id));
    return;
  }
}

// --- what workers say ----------------------------------------------------------------------------

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
                   : failure("The sandbox's worker cannot serve: {}.", ready->error);
  if (!fit) {
    start_error_ = fit.error().message;
    return false;  // lose() counts it
  }
  failed_starts_ = 0;
  worker.ready = true;
  if (first_) {
    layers_ = std::move(ready->layers);
    std::exchange(first_, nullptr)({});
  }
  return true;
}

void Pool::handle_result(Worker& worker, wire::Result result) {
  if (!worker.request || worker.request->job.id != result.id) {
    handle_session_result(worker, result);
    return;
  }
  Request& request = *worker.request;
  if (request.offset + result.index != request.outcomes.size()) return;  // not in order: not ours
  request.outcomes.push_back(make_outcome(result));
  request.deadline = Clock::now() + duration(2 * request.job.program.limits.wall_seconds) + kGrace;
  if (request.outcomes.size() - request.offset < request.expected()) return;
  Request finished = std::move(request);
  worker.request.reset();
  worker.used = Clock::now();
  // The next job goes out before anybody looks at this one. No worker starts or ends here: the
  // loop is walking over them.
  feed(worker);
  finished.done(std::move(finished.outcomes));
}

void Pool::handle_session_result(Worker& worker, const wire::Result& result) {
  const auto found = worker.sessions.find(result.id);
  if (found == worker.sessions.end() || found->second.waiting.empty()) return;
  OpenSession& session = found->second;
  const Done done = std::move(session.waiting.front());
  session.waiting.pop_front();
  session.deadline = Clock::now() + duration(session.limits.wall_seconds) + kGrace;
  if (result.ended) {
    const std::deque<Done> rest = std::move(session.waiting);
    worker.sessions.erase(found);
    done({make_outcome(result)});
    for (const Done& each : rest) each({crashed("the session has ended")});
    return;
  }
  done({make_outcome(result)});
}

// --- losses --------------------------------------------------------------------------------------

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
    for (const Done& done : session.waiting) done({crashed("the worker of the session died")});
  }
  if (worker.request) retry_or_fail(std::move(*worker.request));
  if (worker.ready) return;
  if (start_error_.empty()) start_error_ = "The sandbox's worker died while it started.";
  if (++failed_starts_ >= std::min(kMaxFailedStarts, size_)) give_up(start_error_);
}

// The call that ran is lost; those after it never started, and get one more worker.
void Pool::retry_or_fail(Request request) {
  const std::size_t total = request.offset + request.expected();
  request.outcomes.push_back(crashed("the worker died while this ran"));
  if (request.outcomes.size() < total && request.deaths == 0) {
    ++request.deaths;
    auto& calls = request.job.calls;
    const std::size_t answered = request.outcomes.size() - request.offset;
    calls.erase(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(answered));
    request.offset = request.outcomes.size();
    queue_.push_front(std::move(request));
    return;
  }
  request.outcomes.resize(total, crashed("the worker died before this started"));
  request.done(std::move(request.outcomes));
}

// Nothing can run: everything that waits comes back as crashed.
void Pool::give_up(const std::string& why) {
  if (first_) std::exchange(first_, nullptr)(failure("{}", why));
  failed_starts_ = 0;
  std::deque<Request> queue = std::move(queue_);
  queue_.clear();
  for (Worker& worker : workers_) {
    if (worker.request) queue.push_back(std::move(*std::exchange(worker.request, std::nullopt)));
    for (auto& [id, session] : worker.sessions) {
      for (const Done& done : session.waiting) done({crashed(why)});
    }
    worker.sessions.clear();
  }
  for (Request& request : queue) {
    request.outcomes.resize(request.offset + request.expected(), crashed(why));
    request.done(std::move(request.outcomes));
  }
}

}  // namespace redqueen
