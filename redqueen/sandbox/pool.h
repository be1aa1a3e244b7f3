// The thread that talks to the workers. Everything but the queue of requests belongs to that thread alone.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/sandbox/config.h"
#include "redqueen/sandbox/job.h"
#include "redqueen/sandbox/wire.h"
#include "redqueen/sandbox/worker_process.h"

namespace redqueen {

class Pool {
 public:
  using Outcomes = std::vector<Outcome>;
  // Called once, on the pool's thread; must not block.
  using Done = std::function<void(Outcomes)>;

  // Starts the thread and the first worker, and waits until that one is ready or known to be unfit.
  static Expected<std::shared_ptr<Pool>> start(const SandboxConfig& config);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void submit(wire::JobFrame job, Done done);
  // `done` gets one outcome: of loading the program. Returns the session's id.
  std::uint64_t open(Program program, Done done);
  void call(std::uint64_t session, Call call, Done done);
  void close(std::uint64_t session);

  [[nodiscard]] const SandboxConfig& config() const { return config_; }
  [[nodiscard]] const std::vector<LayerState>& layers() const { return layers_; }
  [[nodiscard]] int size() const { return size_; }
  std::vector<int> worker_pids();

 private:
  using Clock = std::chrono::steady_clock;

  struct Request {
    wire::JobFrame job;  // calls that are already answered are gone from it after a worker's death
    Outcomes outcomes;   // as far as they have come
    std::size_t offset = 0;  // outcomes that an earlier worker gave
    int deaths = 0;          // of workers under it
    Done done;
    Clock::time_point deadline;  // of the worker's next word
    [[nodiscard]] std::size_t expected() const { return job.calls.empty() ? 1 : job.calls.size(); }
  };

  struct OpenSession {
    Limits limits;
    std::deque<Done> waiting;  // answers that are due, in order
    Clock::time_point deadline;
  };

  struct Worker {
    WorkerProcess process;
    std::uint64_t hash_seed = 0;
    bool ready = false;
    std::optional<Request> request;
    std::map<std::uint64_t, OpenSession> sessions;
    Clock::time_point used;
    Worker(WorkerProcess p, std::uint64_t seed)
        : process(std::move(p)), hash_seed(seed), used(Clock::now()) {}
  };
  using WorkerIterator = std::list<Worker>::iterator;

  Pool(SandboxConfig config, std::string program);
  Status await_first_worker();
  void post(std::function<void()> command);
  void wake() const;

  void loop();
  void run_commands();
  [[nodiscard]] int poll_timeout() const;

  void schedule();
  void feed(Worker& worker);
  bool place(Request& request);
  Worker* start_worker(std::uint64_t hash_seed);
  bool make_room(const std::map<std::uint64_t, int>& wanted);
  void dispatch(Worker& worker, Request request);
  void open_now(wire::JobFrame job, Done done);
  void call_now(std::uint64_t session, const Call& call, Done done);
  void close_now(std::uint64_t session);

  // False: the worker is done for.
  bool read(Worker& worker);
  bool handle(Worker& worker, const wire::Frame& frame);
  bool handle_ready(Worker& worker, const wire::Frame& frame);
  void handle_result(Worker& worker, wire::Result result);
  void handle_session_result(Worker& worker, const wire::Result& result);
  [[nodiscard]] bool overdue(const Worker& worker) const;
  void lose(Worker& worker);
  void retry_or_fail(Request request);
  void give_up(const std::string& why);

  SandboxConfig config_;
  std::string program_;
  int size_ = 1;
  int wake_fd_ = -1;
  std::thread thread_;

  std::mutex mutex_;
  std::vector<std::function<void()>> commands_;
  bool stopping_ = false;
  std::atomic<std::uint64_t> next_id_{1};

  std::list<Worker> workers_;
  std::deque<Request> queue_;
  int failed_starts_ = 0;  // in a row
  std::string start_error_;

  std::vector<LayerState> layers_;  // set once, before start() returns
  std::function<void(Status)> first_;
};

}  // namespace redqueen
