#include "redqueen/sandbox/worker/child.h"

#include <Python.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <new>
#include <string>
#include <vector>

#include "redqueen/sandbox/wire.h"
#include "redqueen/sandbox/worker/heap_image.h"
#include "redqueen/sandbox/worker/heaps.h"
#include "redqueen/sandbox/worker/interpreter.h"
#include "redqueen/sandbox/worker/landlock.h"
#include "redqueen/sandbox/worker/read_frame.h"
#include "redqueen/sandbox/worker/root.h"

namespace redqueen::sandbox::worker {
namespace {

constexpr int kControl = 3;
constexpr int kChannel = 4;
constexpr int kMemory = 5;  // of the channel
constexpr rlim_t kOpenFiles = 64;
constexpr rlim_t kThreads = 128;  // of a worker's processes together, where threads are allowed

void set_limit(__rlimit_resource resource, rlim_t value) {
  const rlimit limit{value, value};
  setrlimit(resource, &limit);
}

bool shut_in(const ChildFiles& files, pid_t parent, bool threads) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return false;  // it died before we asked to die with it
  const bool wired = dup2(files.in, 0) == 0 && dup2(files.out, 1) == 1 && dup2(files.err, 2) == 2 &&
                     dup2(files.control, kControl) == kControl &&
                     (files.channel < 0 || (dup2(files.channel, kChannel) == kChannel &&
                                            dup2(files.memory, kMemory) == kMemory));
  const int last = files.channel < 0 ? kControl : kMemory;
  if (!wired || close_range(static_cast<unsigned>(last) + 1, ~0U, 0) != 0) return false;
  set_limit(RLIMIT_NOFILE, kOpenFiles);
  set_limit(RLIMIT_NPROC, threads ? kThreads : 0);
  return true;
}

// Before the program runs. A limit that is set cannot be raised again.
void limit(const wire::JobFrame& job, std::uint64_t memory_base) {
  const Limits& limits = job.program.limits;
  set_limit(RLIMIT_AS, memory_base + limits.memory_bytes);
  set_limit(RLIMIT_FSIZE, limits.output_bytes);
  // Only the second line, in whole seconds; the first is the broker. A session's calls have no sum.
  if (job.mode == wire::Mode::kSession) return;
  const double each = limits.cpu_seconds > 0 ? limits.cpu_seconds : limits.wall_seconds;
  const double all = (each + 2) * static_cast<double>(job.calls.size() + 1);
  const auto seconds = static_cast<rlim_t>(std::clamp(all, 1.0, 1e9));
  const rlimit cpu{seconds, seconds + 1};  // first the signal that says why
  setrlimit(RLIMIT_CPU, &cpu);
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

// A folder of this child's own, with the files that the job brings. All of it is done before any
// code of the program's runs.
bool enter_work_folder(std::uint32_t slot, const wire::Setup& setup, const Program& program) {
  const std::string folder = std::string(kWorkFolder) + "/" + std::to_string(slot);
  if (mkdir(folder.c_str(), 0700) != 0 || chdir(folder.c_str()) != 0) return false;
  if (!restrict_to_work_folder(folder.c_str(), setup)) return false;
  std::vector<File> files = program.files;
  files.push_back({kProgramName, program.source});  // whose lines a traceback shows
  for (const File& file : files) {
    const int fd = is_file_name(file.name)
                       ? open(file.name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
                       : -1;
    if (fd < 0) return false;
    const bool whole =
        write(fd, file.bytes.data(), file.bytes.size()) == static_cast<ssize_t>(file.bytes.size());
    close(fd);
    if (!whole) return false;
  }
  return true;
}

[[noreturn]] void serve(std::uint32_t slot, const ChildOptions& options) {
  wire::Frame frame;
  std::string bytes = next_frame(frame);
  const auto job = wire::decode_job(frame.payload);
  if (!job) _exit(2);
  bytes = {};
  if (!job->channel) {
    close(kChannel);
    close(kMemory);
  }
  if (options.setup->runtime != Runtime::kPlain && job->mode != wire::Mode::kCompare &&
      !enter_work_folder(slot, *options.setup, job->program)) {
    wire::Report report;
    report.status = OutcomeStatus::kCrashed;
    report.message = "the program's folder cannot be made, or its files do not fit into it";
    send(wire::Kind::kLoadFailed, report);
    _exit(0);
  }
  limit(*job, options.memory_base);
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
import heapq
import itertools
import math
import random
import statistics
from collections import Counter, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache, reduce
from typing import List

@dataclass
class Point:
    x: int
    y: int = 0
    names: List[str] = field(default_factory=list)

class Color(Enum):
    RED = 1
    BLUE = 2

Pair = namedtuple('Pair', 'a b')

@lru_cache(maxsize=None)
def ways(n):
    return 1 if n < 2 else ways(n - 1) + ways(n - 2)

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
    queue = deque(itertools.chain([x], range(3)))
    heap = [Pair(1, x), Pair(0, x)]
    heapq.heapify(heap)
    return [random.Random(3).randint(0, 9), x + 1, Point(x).y, Fraction(x, 3), Counter('aab'), ways(9), queue,
            Color['BLUE'].value, str(Decimal(x) / 3), statistics.mean([x, 2]), heapq.heappop(heap), 7 ** 80,
            reduce(lambda a, b: a * b, [x, 2]), [*map(str, range(x))], sorted({'b': 1, 'a': x}.items())]
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

void run_child(const ChildFiles& files, std::uint32_t slot, pid_t parent,
               const ChildOptions& options) {
  const bool threads = options.setup->runtime != Runtime::kPlain;
  open_child_heap(threads);
  if (!shut_in(files, parent, threads)) _exit(4);
  copy_written_pages();
  try {
    serve(slot, options);
  } catch (const std::bad_alloc&) {  // the job itself does not fit into its memory limit
    wire::Report report;
    report.status = OutcomeStatus::kMemory;
    send(wire::Kind::kLoadFailed, report);
  }
  _exit(0);
}

}  // namespace redqueen::sandbox::worker
