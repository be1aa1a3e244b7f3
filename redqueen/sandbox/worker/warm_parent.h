// The worker after its start: forks a child per job from the warm interpreter, keeps its clock, and collects what it
// leaves behind.
#pragma once

#include <linux/filter.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/sandbox/wire.h"
#include "redqueen/sandbox/worker/child.h"

namespace redqueen::worker {

using Clock = std::chrono::steady_clock;

// A forked child, waiting or at work.
struct Child {
  pid_t pid = -1;
  ChildFiles files;
  std::string inbox;   // read, not yet a whole frame
  std::string outbox;  // not yet taken by the socket
};

// What one child (and those that follow it, after calls that died) is doing for the host.
struct Activity {
  wire::JobFrame job;
  std::size_t next = 0;  // index of the call that runs or comes next
  bool loading = true;   // the program itself runs, with calls of a batch to follow
  bool waiting = false;  // a session between two calls
  bool failed_load = false;
  std::uint64_t out_mark = 0;  // where the running call's stdout and stderr begin
  std::uint64_t err_mark = 0;
  Clock::time_point start;
  Clock::time_point read_at;  // when its child last said something
  double cpu_start = 0;
  Child child;
};

// Single-threaded; trusts the host, distrusts the children.
class WarmParent {
 public:
  // `memory_base`: bytes of address space that the interpreter itself takes.
  WarmParent(int host, std::vector<sock_filter> filter, std::uint64_t memory_base);

  // Serves until the host hangs up.
  void run();

 private:
  void fork_spare();
  Child take_spare();
  ChildFiles take_files();
  void return_files(ChildFiles files);
  void limit(const Child& child, const wire::JobFrame& job) const;

  bool read_host();
  void handle_host_frame(const wire::Frame& frame);
  void start(wire::JobFrame job);
  void measure_forks(const wire::JobFrame& job);
  void launch(Activity& activity);
  void call_session(std::uint64_t id, const Call& call);

  // Each returns false when the activity is over.
  bool read_child(Activity& activity);
  bool handle_child_frame(Activity& activity, const wire::Frame& frame);
  bool handle_report(Activity& activity, const wire::Frame& frame);
  bool fail_rest(Activity& activity, const wire::Result& result);
  bool check_limits(Activity& activity);
  bool child_died(Activity& activity);
  bool breach(Activity& activity, OutcomeStatus status, std::string message);
  bool after_death(Activity& activity, wire::Result result);

  wire::Result result_of(const Activity& activity) const;
  void collect_output(Activity& activity, wire::Result& result, std::uint64_t out_end,
                      std::uint64_t err_end);
  void begin_call(Activity& activity);
  [[nodiscard]] double seconds_left(const Activity& activity) const;
  static bool is_lazy(const Activity& activity);
  [[nodiscard]] int poll_timeout() const;

  void flush_child(Child& child);
  void send_host(std::string bytes);
  bool flush_host();
  void bury(Child& child);
  void reap();

  int host_;
  pid_t self_;
  std::vector<sock_filter> filter_;
  std::uint64_t memory_base_;
  std::string from_host_, to_host_;
  std::optional<Child> spare_;
  std::list<Activity> activities_;
  std::vector<ChildFiles> idle_files_;
  std::vector<std::pair<pid_t, ChildFiles>> dying_;
};

}  // namespace redqueen::worker
