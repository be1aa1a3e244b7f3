// Talks to the workers. A thread that waits for an answer reads the sockets of all workers
// meanwhile, for all threads that wait. A background thread reads them only while work is open that
// nobody waits for.
#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/sandbox/config.h"
#include "redqueen/sandbox/job.h"
#include "redqueen/sandbox/wire.h"
#include "redqueen/sandbox/worker_process.h"

namespace redqueen::sandbox {

class Pool {
 public:
  // Answers as workers sent them: what a child put into them is checked by whoever wants them.
  using Results = std::vector<wire::Result>;

  // Something that will be answered.
  struct Ticket {
    ~Ticket();
    Results results;
    std::uint64_t output_bytes = 0;  // the limit that its values had
    bool in_background = false;      // answered even if nobody waits
    int channel = -1;                // of a session that asked for one; whoever waits takes it
    bool done = false;
  };
  using Handle = std::shared_ptr<Ticket>;

  // Starts the workers, waits until the first is ready or known to be unfit, and tells
  // config.on_missing_layers what that one lacks.
  static Expected<std::shared_ptr<Pool>> start(const SandboxConfig& config);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Ends the workers; what is still open, and whatever is asked from now on, comes back as crashed.
  void stop();

  Handle submit(wire::JobFrame job, bool in_background = false);
  // One result: of loading the program. `channel`: the ticket brings the host's end of a socket.
  Handle open(Program program, std::uint64_t& session, bool channel = false);
  Handle call(std::uint64_t session, const Call& call);
  void close(std::uint64_t session);

  Results wait(Ticket& ticket);
  // Waits until then at most; false: it is not answered yet.
  bool wait_until(const Ticket& ticket, std::chrono::steady_clock::time_point when);
  // Answers it as crashed, if it has no answer yet, and kills the worker that runs it.
  void call_off(const Ticket& ticket);
  [[nodiscard]] bool is_done(const Ticket& ticket) const;

  [[nodiscard]] const SandboxConfig& config() const { return config_; }
  [[nodiscard]] const std::vector<LayerState>& layers() const { return layers_; }
  [[nodiscard]] int size() const { return size_; }
  std::vector<int> worker_pids();

 private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;
  static constexpr Clock::time_point kForEver = Clock::time_point::max();

  struct Request {
    wire::JobFrame job;  // calls that are already answered are gone from it after a worker's death
    Handle ticket;
    std::size_t offset = 0;      // results that an earlier worker gave
    int deaths = 0;              // of workers under it
    Clock::time_point deadline;  // of the worker's next word
    [[nodiscard]] std::size_t expected() const { return job.calls.empty() ? 1 : job.calls.size(); }
  };

  struct OpenSession {
    Limits limits;
    std::deque<Handle> waiting;  // answers that are due, in order
    Clock::time_point deadline;
  };

  // The settings with which an interpreter must be started.
  struct Kind {
    std::uint64_t hash_seed = 0;
    Runtime runtime = Runtime::kPlain;
    auto operator<=>(const Kind&) const = default;
  };
  static Kind kind_of(const wire::JobFrame& job) {
    return {job.program.hash_seed, job.program.profile.runtime};
  }

  struct Worker {
    WorkerProcess process;
    Kind kind;
    bool ready = false;
    std::optional<Request> request;
    std::map<std::uint64_t, OpenSession> sessions;
    Clock::time_point used;
    Worker(WorkerProcess p, Kind wanted)
        : process(std::move(p)), kind(wanted), used(Clock::now()) {}
  };
  using WorkerIterator = std::list<Worker>::iterator;

  Pool(SandboxConfig config, std::string program);
  Status await_first_worker();
  void wake() const;
  void serve_in_background();

  // One turn of the driver, of whom there is one at a time; only it starts and ends workers. The
  // lock is open while it sleeps.
  void drive(Lock& lock, Clock::time_point until);
  void drive_while(Lock& lock, const std::function<bool()>& condition,
                   Clock::time_point until = kForEver);
  [[nodiscard]] int poll_timeout(Clock::time_point until) const;

  // Everything below wants the lock.
  void schedule();
  void feed(Worker& worker);
  bool place(Request& request);
  Worker* start_worker(Kind kind);
  bool make_room(const std::map<Kind, int>& wanted);
  void dispatch(Worker& worker, Request request);
  void open_now(const wire::JobFrame& job, const Handle& ticket);
  void finish(const Handle& ticket);
  void fail(const Handle& ticket, std::string message);

  // False: the worker is done for.
  bool read(Worker& worker);
  bool handle(Worker& worker, const wire::Frame& frame);
  bool handle_ready(Worker& worker, const wire::Frame& frame);
  void handle_result(Worker& worker, wire::Result result);
  void handle_session_result(Worker& worker, wire::Result result);
  bool handle_channel(Worker& worker, const wire::Frame& frame);
  [[nodiscard]] bool overdue(const Worker& worker) const;
  void lose(Worker& worker);
  void retry_or_fail(Request request);
  void give_up_kind(const Kind& kind);
  void give_up(const std::string& why);

  const SandboxConfig config_;
  const std::string program_;
  int size_ = 1;
  int wake_fd_ = -1;
  std::atomic<std::uint64_t> next_id_{1};

  mutable std::mutex mutex_;
  std::condition_variable changed_;  // a ticket is done, or nobody drives any more
  int waiting_ = 0;                  // threads on `changed_`
  bool driving_ = false;
  bool stopping_ = false;
  std::size_t open_in_background_ = 0;
  std::thread background_;

  std::list<Worker> workers_;
  std::deque<Request> queue_;
  std::vector<std::pair<wire::JobFrame, Handle>> opening_;  // sessions
  int failed_starts_ = 0;                                   // in a row
  std::string start_error_;

  std::vector<LayerState> layers_;  // set once, before start() returns
  std::optional<Status> first_;     // how the start of the first worker went
};

}  // namespace redqueen::sandbox
