#include "redqueen/sandbox/worker/child.h"

#include <Python.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <new>
#include <string>

#include "redqueen/sandbox/wire.h"
#include "redqueen/sandbox/worker/heap_image.h"
#include "redqueen/sandbox/worker/heaps.h"
#include "redqueen/sandbox/worker/interpreter.h"
#include "redqueen/sandbox/worker/read_frame.h"
#include "redqueen/sandbox/worker/syscall_filter.h"

namespace redqueen::worker {
namespace {

constexpr int kControl = 3;
constexpr rlim_t kOpenFiles = 64;

void set_limit(__rlimit_resource resource, rlim_t value) {
  const rlimit limit{value, value};
  setrlimit(resource, &limit);
}

bool shut_in(const ChildFiles& files, const std::vector<sock_filter>& filter, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return false;  // it died before we asked to die with it
  const bool wired = dup2(files.in, 0) == 0 && dup2(files.out, 1) == 1 && dup2(files.err, 2) == 2 &&
                     dup2(files.control, kControl) == kControl;
  if (!wired || close_range(kControl + 1, ~0U, 0) != 0) return false;
  set_limit(RLIMIT_NOFILE, kOpenFiles);
  set_limit(RLIMIT_NPROC, 0);
  return install_filter(filter);
}

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = write(kControl, bytes.data(), bytes.size());
    if (sent < 0 && errno != EINTR) _exit(3);
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// Ends the process where there is nothing to read.
std::string next_frame(wire::Frame& frame) {
  std::string bytes;
  const FrameRead read = read_frame(kControl, bytes, frame);
  if (read != FrameRead::kFrame) _exit(read == FrameRead::kEnded ? 0 : 2);
  return bytes;
}

void send(wire::Kind kind, const wire::Report& report) {
  const auto [out, err] = flush_output();
  try {
    write_all(wire::encode_report(kind, out, err, report));
  } catch (const std::bad_alloc&) {
    wire::Report small;
    small.status = OutcomeStatus::kMemory;
    write_all(wire::encode_report(kind, out, err, small));
  }
}

[[noreturn]] void run_session(Evaluator& evaluator) {
  for (;;) {
    wire::Frame frame;
    const std::string bytes = next_frame(frame);
    const auto call = wire::decode_call(frame.payload);
    if (!call) _exit(2);
    send(wire::Kind::kReport, evaluator.call(call->second));
  }
}

[[noreturn]] void serve() {
  wire::Frame frame;
  std::string bytes = next_frame(frame);
  const auto job = wire::decode_job(frame.payload);
  if (!job) _exit(2);
  bytes = {};
  Evaluator evaluator(*job);
  if (job->mode == wire::Mode::kCompare) {
    for (const Call& call : job->calls) send(wire::Kind::kReport, evaluator.compare(call));
    _exit(0);
  }
  const wire::Report loaded = evaluator.load();
  if (loaded.status != OutcomeStatus::kOk) {
    send(wire::Kind::kLoadFailed, loaded);
    _exit(0);
  }
  if (job->mode == wire::Mode::kSession) {
    send(wire::Kind::kReport, loaded);
    run_session(evaluator);
  }
  if (job->calls.empty()) send(wire::Kind::kReport, loaded);
  // With one call, loading and calling share one time limit: nobody waits for this frame.
  if (job->calls.size() > 1) write_all(wire::encode_loaded());
  for (const Call& call : job->calls) send(wire::Kind::kReport, evaluator.call(call));
  _exit(0);
}

// Programs as policies write them, and each kind of call.
constexpr const char* kRehearsal = R"python(
import math
import random
from collections import defaultdict

class Node:
    def __init__(self, value):
        self.value = value

def f(n, text='abc', *rest):
    seen = defaultdict(list)
    for i in range(n):
        seen[i % 3].append(Node(math.gcd(i, 6)).value)
    try:
        rest[5]
    except IndexError as error:
        text += str(error)
    pairs = sorted(((len(v), k) for k, v in seen.items()), key=lambda pair: -pair[0])
    return {'pairs': pairs, 'text': f'{text:>8}', 'all': [1.5, None, True, {1, 2}, (n, b'x')]}

def g(x):
    return [random.Random(3).randint(0, 9), x + 1]
)python";

void rehearse(const wire::JobFrame& job) {
  const std::string bytes = wire::encode(job);
  wire::Frame frame;
  if (wire::split_frame(bytes, wire::kMaxFrameBytes, frame) != wire::Split::kFrame) return;
  const auto decoded = wire::decode_job(frame.payload);
  if (!decoded) return;
  Evaluator evaluator(*decoded);
  (void)evaluator.load();
  for (const Call& call : decoded->calls) {
    const auto [out, err] = flush_output();
    (void)wire::encode_report(wire::Kind::kReport, out, err, evaluator.call(call));
  }
}

}  // namespace

void rehearse_small_job() {
  open_child_heap();
  wire::JobFrame job;
  job.program.source = "def f(x):\n    return x\n";
  job.calls = {Call::literal("f", "1")};
  rehearse(job);
}

void rehearse_job() {
  wire::JobFrame job;
  job.program.source = kRehearsal;
  job.calls = {Call::literal("f", "4, 'de'"), Call::json("g", "[5]"), Call::expression("g(1)"),
               Call::python("g", "2"), Call::literal("no_such_function", "1")};
  rehearse(job);
}

void run_child(const ChildFiles& files, const std::vector<sock_filter>& filter, pid_t parent) {
  open_child_heap();
  if (!shut_in(files, filter, parent)) _exit(4);
  copy_written_pages();
  try {
    serve();
  } catch (const std::bad_alloc&) {  // the job itself does not fit into its memory limit
    wire::Report report;
    report.status = OutcomeStatus::kMemory;
    send(wire::Kind::kLoadFailed, report);
  }
  _exit(0);
}

}  // namespace redqueen::worker
