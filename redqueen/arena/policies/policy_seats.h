// Seats policies and the judge on cores. A policy and the judge speak in turn, some hundred
// thousand times a run: on two cores each answer would wake a core that has gone to sleep, which
// takes longer than the policy's thought. So a seat is a core, with a worker of the sandbox that is
// bound to it. The judge's thread that plays there sits on the same core, in turn with the policy;
// or, where seats are to spare, on the core of another seat, and both stay awake (shared_frames.h).
#pragma once

#include <sched.h>

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/sandbox/channel_sandbox.h"

namespace redqueen::arena {

// Binds the calling thread to one core until it is destroyed there. Where the machine does not
// allow it nothing happens: a seat is about speed only.
class CoreBinding {
 public:
  explicit CoreBinding(std::optional<int> core);
  ~CoreBinding();
  CoreBinding(const CoreBinding&) = delete;
  CoreBinding& operator=(const CoreBinding&) = delete;

 private:
  std::optional<cpu_set_t> before_;
};

class PolicySeats {
  struct Seat {
    std::optional<int> core;  // none: more seats than cores were asked for
    sandbox::ChannelSandbox sandbox;
  };

 public:
  // config.workers seats (0: one per core); fails as ChannelSandbox::start().
  static Expected<std::unique_ptr<PolicySeats>> start(const sandbox::SandboxConfig& config);

  // A seat that is taken. The thread that took it is bound to a core, and gives it back.
  class Taken {
   public:
    explicit Taken(PolicySeats& seats);  // waits until one is free
    // For one of `at_a_time` policies that are played at a time: if there are two seats for each of
    // them, this takes two, and the thread sits apart from the policy.
    Taken(PolicySeats& seats, std::size_t at_a_time);
    ~Taken();
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    [[nodiscard]] sandbox::ChannelSandbox& sandbox() const { return seat_->sandbox; }
    // A session on the policy's core: workers start when they are first needed, bound like the
    // thread that starts them.
    [[nodiscard]] sandbox::ChannelSession open(sandbox::Program program) const {
      const CoreBinding bound{seat_->core};
      return seat_->sandbox.open(std::move(program));
    }
    [[nodiscard]] bool apart() const { return beside_ != nullptr; }

   private:
    Taken(PolicySeats& seats, std::pair<Seat*, Seat*> taken);

    PolicySeats& seats_;
    Seat* seat_ = nullptr;    // the policy's
    Seat* beside_ = nullptr;  // the thread's; null: it shares the policy's
    CoreBinding binding_;
  };

  [[nodiscard]] std::size_t size() const { return seats_.size(); }
  [[nodiscard]] const std::vector<sandbox::LayerState>& layers() const {
    return seats_.front().sandbox.layers();
  }

 private:
  explicit PolicySeats(std::vector<Seat> seats);
  [[nodiscard]] bool has_two_for_each(std::size_t at_a_time) const;
  // Waits for a seat, and for a second one if `two`.
  std::pair<Seat*, Seat*> wait_for_seats(bool two);

  std::vector<Seat> seats_;
  std::mutex lock_;
  std::condition_variable freed_;
  std::vector<Seat*> free_;
};

}  // namespace redqueen::arena
