// Where policies are played. A policy and the judge speak in turn, some hundred thousand times a
// run: on two cores each answer would wake a core that has gone to sleep, which takes longer than
// the policy's thought. So a seat is a core, with a worker of the sandbox that is bound to it and
// room for the one thread of the judge that sits there.
#pragma once

#include <sched.h>

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "redqueen/core/error.h"
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

  // A seat that is taken. The thread that took it is bound to its core, and gives it back.
  class Taken {
   public:
    explicit Taken(PolicySeats& seats);  // waits until one is free
    ~Taken();
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    [[nodiscard]] sandbox::ChannelSandbox& sandbox() const { return seat_->sandbox; }

   private:
    PolicySeats& seats_;
    Seat* seat_;
    CoreBinding binding_;
  };

  [[nodiscard]] std::size_t size() const { return seats_.size(); }
  [[nodiscard]] const std::vector<sandbox::LayerState>& layers() const {
    return seats_.front().sandbox.layers();
  }

 private:
  explicit PolicySeats(std::vector<Seat> seats);
  Seat* wait_for_one();

  std::vector<Seat> seats_;
  std::mutex lock_;
  std::condition_variable freed_;
  std::vector<Seat*> free_;
};

}  // namespace redqueen::arena
