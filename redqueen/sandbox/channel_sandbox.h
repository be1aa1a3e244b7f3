// Sessions that answer over a direct socket, past broker and pool: for programs that are asked many
// thousand short questions, like the policies of an arena. Isolation, limits and deaths are those
// of every session (sandbox.h); only the runtimes with files have channels.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "redqueen/sandbox/sandbox.h"

namespace redqueen::sandbox {

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
  // As in Session: the destructor ends the child, and loaded() is the outcome of loading the
  // program.
  [[nodiscard]] const Outcome& loaded() const { return session_.loaded(); }
  [[nodiscard]] bool alive() const { return session_.alive(); }
  // The host's end, which stays the session's; −1 if there is none. Distrust what comes from it.
  [[nodiscard]] int channel() const { return channel_.get(); }
  // The file in memory, to be mapped here as well; −1 if there is none. Its size is fixed, so that
  // no access to a mapping of it fails. The program may change its bytes at any time: copy what is
  // to be checked before it is used.
  [[nodiscard]] int memory() const { return memory_.get(); }

  void begin(const Call& call);  // at most one call at a time
  Outcome finish();              // of the call that was begun; waits for it

 private:
  friend class ChannelSandbox;
  ChannelSession(Session session, int channel);

  // Closes what it holds; −1: nothing.
  class Descriptor {
   public:
    explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
    Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
      std::swap(descriptor_, other.descriptor_);
      return *this;
    }
    ~Descriptor();
    [[nodiscard]] int get() const { return descriptor_; }

   private:
    int descriptor_;
  };

  Session session_;
  Descriptor channel_;
  Descriptor memory_;
  std::shared_ptr<void> begun_;  // the ticket of begin()
};

// Workers for such sessions; its end kills what still runs. May be called from any thread.
class ChannelSandbox {
 public:
  // Starts as Sandbox::start() does.
  static Expected<ChannelSandbox> start(const SandboxConfig& config = {});

  ChannelSession open(Program program);
  // Returns those of the first worker.
  [[nodiscard]] const std::vector<LayerState>& layers() const { return sandbox_.layers(); }

 private:
  explicit ChannelSandbox(Sandbox sandbox) : sandbox_(std::move(sandbox)) {}
  Sandbox sandbox_;
};

}  // namespace redqueen::sandbox
