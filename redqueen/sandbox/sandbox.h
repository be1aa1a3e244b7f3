// Runs untrusted Python. The one door: nothing else in the engine may execute what a policy wrote.
//
// Every program runs in its own child process, forked from a warm interpreter that sits behind the
// layers of layers.h; docs/sandbox.md states what that keeps out and what it does not. Results do
// not depend on the number of workers, but for what shows addresses (id, an object's own repr).
// Everything here may be called from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/sandbox/config.h"
#include "redqueen/sandbox/job.h"
#include "redqueen/sandbox/layers.h"

namespace redqueen::sandbox {

class Pool;  // of workers

// A child that stays. Same isolation, limits per call; the first call that breaches one ends it.
// May outlive nothing: the Sandbox must live longer. Calls of one session are answered in order.
class Session {
 public:
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();  // ends the child

  // Returns the outcome of loading the program; unless ok, there is nothing to call.
  [[nodiscard]] const Outcome& loaded() const { return loaded_; }
  [[nodiscard]] bool alive() const { return alive_; }
  // kCrashed, and says so, once the session has ended.
  Outcome call(const Call& call);

 private:
  friend class Sandbox;
  friend class ChannelSession;
  Session(std::shared_ptr<Pool> pool, std::uint64_t id, Outcome loaded);
  void close();
  // The two halves of call(). begin() returns the ticket of the answer; null: the session has
  // ended.
  std::shared_ptr<void> begin(const Call& call);
  Outcome finish(const std::shared_ptr<void>& ticket);

  std::shared_ptr<Pool> pool_;
  std::uint64_t id_ = 0;
  Outcome loaded_;
  bool alive_ = false;
};

// Outcomes that are not there yet.
class Pending {
 public:
  Pending() = default;
  // Waits for them; once. They come as crashed if the sandbox is closed first.
  std::vector<Outcome> get();
  // Waits for them so long at most; false: they are not there yet.
  [[nodiscard]] bool wait_for(double seconds) const;
  [[nodiscard]] bool ready() const;
  // Those that are not there yet come as crashed, and what runs for them is killed.
  void call_off() const;

 private:
  friend class Sandbox;
  Pending(std::shared_ptr<Pool> pool, std::shared_ptr<void> ticket);
  std::shared_ptr<Pool> pool_;
  std::shared_ptr<void> ticket_;
};

class Sandbox {
 public:
  // Starts the workers. Fails when a worker cannot start, or gets less isolation than
  // config.require asks; the message names the layers that are missing and what to do.
  static Expected<Sandbox> start(const SandboxConfig& config = {});

  Sandbox(Sandbox&&) noexcept;
  Sandbox& operator=(Sandbox&&) noexcept;
  ~Sandbox();  // kills what still runs

  Outcome run(const Job& job);
  std::vector<Outcome> run_many(std::span<const Job> jobs);  // in the order of jobs
  // One outcome per call, or one for the program where there are no calls.
  std::vector<Outcome> run(const Batch& batch);
  std::vector<std::vector<Outcome>> run_many(std::span<const Batch> batches);
  // Runs whether or not somebody waits; if not in the background, only while somebody waits for it
  // or for something else, which is quicker.
  Pending submit(Batch batch, bool in_background = true);

  Session open(Program program);

  // Compares pairs of values, as Python's == has it, except that NaN equals NaN. Strict: the types
  // must agree as well (True, 1 and 1.0 differ). Both sides are literals: numbers, strings, bytes,
  // containers, the constructors that a canonical text uses, arithmetic that stays small; whatever
  // else stands there is not comparable, nor is what takes 0.2 s of CPU. Runs in fresh children
  // that no program has touched, so a program cannot influence its own comparison.
  std::vector<Equality> compare_many(std::span<const Comparison> pairs, bool strict = false);
  Equality compare(std::string left, std::string right, bool strict = false);

  // Seconds that each of `count` bare forks (fork, exit, wait) of a warm interpreter takes: the
  // floor under a job.
  std::vector<double> time_forks(int count);

  [[nodiscard]] const SandboxConfig& config() const;
  [[nodiscard]] const std::vector<LayerState>& layers() const;  // of the first worker
  [[nodiscard]] int workers() const;
  // Worker processes that live now: warm interpreters, one or more per worker. For tests and the
  // soak.
  [[nodiscard]] std::vector<int> worker_pids() const;

 private:
  friend class ChannelSandbox;
  explicit Sandbox(std::shared_ptr<Pool> pool);
  // The session, and the host's end of its channel if it asked for one; −1: none.
  std::pair<Session, int> open_session(Program program, bool channel);
  std::shared_ptr<Pool> pool_;
};

}  // namespace redqueen::sandbox
