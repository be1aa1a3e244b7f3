// Sessions that answer over a direct socket, past broker and pool: for programs that are asked many
// thousand short questions, like the policies of an arena. Isolation, limits and deaths are those
// of every session (sandbox.h); only the runtimes with files have channels.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/sandbox/config.h"
#include "redqueen/sandbox/job.h"
#include "redqueen/sandbox/layers.h"

namespace redqueen::sandbox {

class Pool;  // of workers

// A child that stays. The program finds its end of the socket as descriptor 4 (SOCK_SEQPACKET: a
// write is a frame, a read gives a whole one), and as descriptor 5 a file in memory that it may map
// (channel_memory.h). A call runs while host and program talk:
//
//   session.begin(Call::expression("serve()"));
//   … send() and recv() on session.channel(); the end of the file: the child is gone …
//   Outcome outcome = session.finish();
//
// Not thread-safe; the ChannelSandbox must live longer.
class ChannelSession {
 public:
  ChannelSession(ChannelSession&& other) noexcept;
  ChannelSession& operator=(ChannelSession&& other) noexcept;
  ChannelSession(const ChannelSession&) = delete;
  ChannelSession& operator=(const ChannelSession&) = delete;
  ~ChannelSession();  // ends the child

  // Returns the outcome of loading the program; unless ok, there is nothing to call.
  [[nodiscard]] const Outcome& loaded() const { return loaded_; }
  [[nodiscard]] bool alive() const { return alive_; }
  // The host's end, which stays the session's; −1 if there is none. Distrust what comes from it.
  [[nodiscard]] int channel() const { return channel_; }
  // The file in memory, to be mapped here as well; −1 if there is none. Its size is fixed, so that
  // no access to a mapping of it fails. The program may change its bytes at any time: copy what is
  // to be checked before it is used.
  [[nodiscard]] int memory() const { return memory_; }

  void begin(const Call& call);  // at most one call at a time
  Outcome finish();              // of the call that was begun; waits for it

 private:
  friend class ChannelSandbox;
  ChannelSession(std::shared_ptr<Pool> pool, std::uint64_t id, Outcome loaded, int channel);
  void close();

  std::shared_ptr<Pool> pool_;
  std::uint64_t id_ = 0;
  Outcome loaded_;
  bool alive_ = false;
  int channel_ = -1;
  int memory_ = -1;
  std::shared_ptr<void> begun_;  // the ticket of begin()
};

// Workers for such sessions. May be called from any thread.
class ChannelSandbox {
 public:
  // Starts as Sandbox::start() does.
  static Expected<ChannelSandbox> start(const SandboxConfig& config = {});

  ChannelSandbox(ChannelSandbox&&) noexcept;
  ChannelSandbox& operator=(ChannelSandbox&&) noexcept;
  ~ChannelSandbox();  // kills what still runs

  ChannelSession open(Program program);
  [[nodiscard]] const std::vector<LayerState>& layers() const;  // of the first worker

 private:
  explicit ChannelSandbox(std::shared_ptr<Pool> pool);
  std::shared_ptr<Pool> pool_;
};

}  // namespace redqueen::sandbox
