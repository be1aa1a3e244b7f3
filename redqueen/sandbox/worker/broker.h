// The outer process of a worker, after its start: takes jobs from the host, gives them to children,
// keeps their clocks, and passes their answers on. It runs no Python and is never forked, so what
// it holds of jobs and values is in no child.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "redqueen/sandbox/wire.h"
#include "redqueen/sandbox/worker/orders.h"

namespace redqueen::sandbox::worker {

using Clock = std::chrono::steady_clock;

struct Activity;

// The place of a child. The descriptors stay from one child to the next; nothing else does.
struct Slot {
  enum class State : std::uint8_t {
    kEmpty,
    kAlive,    // ordered; perhaps not there yet
    kLeaving,  // has given its last answer, or is being killed
  };
  std::uint32_t index = 0;
  ChildFiles files;  // `control` is our end
  int far_end = -1;  // the child's, kept to empty it
  int channel = -1;  // the host's end of files.channel
  State state = State::kEmpty;
  Activity* activity = nullptr;
  Clock::time_point kill_at;  // kLeaving, while it may go by itself
  bool kill_sent = false;
  std::string inbox;   // read, not yet a whole frame
  std::string outbox;  // not yet taken by the socket
};

// The work that one child (and its successors, after calls that died) does for the host.
struct Activity {
  wire::JobFrame job;    // without what only the child needs, once all of it was sent
  std::size_t next = 0;  // index of the call that runs or comes next
  bool loading = true;   // the program itself runs, with calls of a batch to follow
  bool waiting = false;  // a session between two calls
  // Being killed, for this reason; its end is awaited.
  bool condemned = false;
  OutcomeStatus reason = OutcomeStatus::kOk;
  std::string message;
  std::uint64_t out_mark = 0;  // where the running call's stdout and stderr begin
  std::uint64_t err_mark = 0;
  Clock::time_point start;    // of the running call; of waiting
  Clock::time_point read_at;  // when its child last said something
  // CPU time is asked for only where it can matter: not before as much time has passed.
  std::uint64_t cpu_ticket = 0;  // of the question that is open; 0: none
  double cpu_mark = 0;           // used when the call began; below zero: not known yet
  Clock::time_point ask_at;
  Slot* slot = nullptr;
};

// Single-threaded; trusts the host and the warm parent, distrusts the children.
class Broker {
 public:
  // `oom_events`: memory.events of the worker's cgroup, or −1. `files`: children have folders.
  Broker(int host, int orders, int oom_events, bool files);

  // Serves until the host hangs up or the warm parent is gone.
  void run();

 private:
  Slot* make_slot();
  Slot* fork_slot();
  void order(Order::Kind kind, std::uint32_t slot, std::uint64_t number = 0) const;
  void keep_spares();
  void leave(Slot& slot, bool may_go_by_itself);
  void recycle(Slot& slot);
  void drop_idle_slots();
  void close_files(Slot& slot);
  void pass_channel(std::uint64_t id, Slot& slot);

  bool read_host();
  bool handle_host_frame(const wire::Frame& frame);
  void start(wire::JobFrame job);
  void launch(Activity& activity);
  void call_session(std::uint64_t id, const Call& call);
  void close_session(std::uint64_t id);

  bool read_notices();
  void handle_notice(const Notice& notice);
  void slot_ended(Slot& slot, const Notice& notice);
  void handle_cpu(Activity& activity, double seconds);

  // Reads a child's messages. Each may end the activity; it is erased later.
  void read_child(Activity& activity);
  void take_frames(Activity& activity);
  void handle_child_frame(Activity& activity, const wire::Frame& frame);
  void handle_report(Activity& activity, const wire::Frame& frame);
  void fail_rest(Activity& activity, const wire::Result& result);
  void condemn(Activity& activity, OutcomeStatus status, std::string message);
  void check_limits(Activity& activity);
  void finish_call(Activity& activity, wire::Result result);
  void end(Activity& activity);

  wire::Result result_of(const Activity& activity) const;
  void collect_output(Activity& activity, wire::Result& result, std::uint64_t out_end,
                      std::uint64_t err_end);
  void fetch_files(const Activity& activity, wire::Result& result) const;
  void begin_call(Activity& activity);
  void explain(const Activity& activity, const Notice& notice, wire::Result& result);
  bool out_of_memory();
  [[nodiscard]] Clock::time_point deadline(const Activity& activity) const;
  static bool is_lazy(const Activity& activity);
  [[nodiscard]] int poll_timeout() const;

  void flush_child(Slot& slot);
  void send_host(std::string bytes);
  ssize_t send_part(std::size_t begin);
  bool flush_host();

  int host_;
  int orders_;
  int oom_events_;
  bool files_;
  std::uint64_t oom_kills_ = 0;
  std::uint64_t tickets_ = 0;
  std::uint64_t forks_id_ = 0;  // the job that times forks, its calls left
  std::uint64_t forks_left_ = 0;
  std::string from_host_, to_host_;
  // Descriptors that go to the host with the byte of to_host_ at `at`.
  struct Passed {
    std::size_t at = 0;
    int descriptor = -1;
  };
  std::deque<Passed> passed_;
  std::deque<Slot> slots_;    // stay where they are
  std::deque<Slot*> spares_;  // the longest forked first
  Clock::time_point fork_again_;
  std::list<Activity> activities_;
  // The outcomes of sessions that ended between two calls, by id, for the next call.
  std::map<std::uint64_t, std::pair<OutcomeStatus, std::string>> epitaphs_;
};

}  // namespace redqueen::sandbox::worker
