// The program redqueen-sandbox-worker: one worker of the sandbox. Started by the engine, with a
// socket as descriptor 3; of no use by itself.
#include <fcntl.h>
#include <linux/filter.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "redqueen/sandbox/wire.h"
#include "redqueen/sandbox/worker/broker.h"
#include "redqueen/sandbox/worker/child.h"
#include "redqueen/sandbox/worker/heap_image.h"
#include "redqueen/sandbox/worker/heaps.h"
#include "redqueen/sandbox/worker/huge_text.h"
#include "redqueen/sandbox/worker/interpreter.h"
#include "redqueen/sandbox/worker/isolation.h"
#include "redqueen/sandbox/worker/read_frame.h"
#include "redqueen/sandbox/worker/root.h"
#include "redqueen/sandbox/worker/syscall_filter.h"
#include "redqueen/sandbox/worker/warm_parent.h"

namespace redqueen::sandbox::worker {
namespace {

constexpr int kHost = 3;
// With 128 of them a program's threads fit into half a gibibyte of address space, and a thousand
// calls of Python from C, as many as it nests, into one.
constexpr std::size_t kThreadStack = 2U << 20;

std::optional<wire::Setup> read_setup() {
  std::string bytes;
  wire::Frame frame;
  if (read_frame(kHost, bytes, frame) != FrameRead::kFrame) return std::nullopt;
  if (frame.kind != wire::Kind::kSetup) return std::nullopt;
  return wire::decode_setup(frame.payload);
}

void send_ready(int host, const wire::Ready& ready) {
  const std::string bytes = wire::encode(ready);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = write(host, bytes.data() + sent, bytes.size() - sent);
    if (n <= 0 && errno != EINTR) return;
    if (n > 0) sent += static_cast<std::size_t>(n);
  }
}

void set_limits() {
  for (const auto resource : {RLIMIT_CORE, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE}) {
    const rlimit none{0, 0};
    setrlimit(resource, &none);
  }
  const rlimit stack{8U << 20, 8U << 20};
  setrlimit(RLIMIT_STACK, &stack);
}

// Bytes of address space that this process has mapped.
std::uint64_t mapped_bytes(int statm) {
  char text[64] = {};
  if (statm < 0 || pread(statm, text, sizeof(text) - 1, 0) <= 0) return 256U << 20;
  return std::strtoull(text, nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

int run_broker(const wire::Setup& setup, const Isolation& isolation) {
  std::string why;
  const auto filter = build_broker_filter(setup.runtime != Runtime::kPlain, why);
  if (filter) install_filter(*filter);
  // A large answer's memory goes back to the kernel once it is passed on.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  Notice ready;
  if (read(isolation.orders, &ready, sizeof(ready)) == sizeof(ready)) {
    Broker(kHost, isolation.orders, isolation.oom_events, setup.runtime != Runtime::kPlain).run();
  }
  kill(isolation.inner, SIGKILL);
  waitpid(isolation.inner, nullptr, 0);
  return 0;
}

int run_inside(const wire::Setup& setup, Isolation isolation) {
  wire::Ready ready;
  const bool files = setup.runtime != Runtime::kPlain;
  const auto filter = build_filter({.allow_open = isolation.files_closed,
                                    .private_root = isolation.private_root,
                                    .files_and_threads = files},
                                   ready.error);
  if (files && !(isolation.private_root && isolation.landlock)) {
    ready.error = "the profiles 'program' and 'data' need a private root and Landlock";
  }
  if (setup.runtime == Runtime::kData && ready.error.empty() && !has_packages()) {
    ready.error = "there is no numpy that other users may read in " + setup.packages +
                  ", which the profile 'data' needs; name its folder in sandbox.data_packages";
  }
  using State = LayerState::State;
  isolation.layers.push_back(
      {"system-call filter", filter ? State::kOn : State::kUnavailable,
       filter ? "of " + std::to_string(filter->size()) + " instructions" : ready.error,
       filter ? "" : "Use a kernel with CONFIG_SECCOMP_FILTER."});
  isolation.layers.push_back(
      {"resource limits", State::kOn, "memory, CPU, output, descriptors, processes, core", ""});
  ready.layers = std::move(isolation.layers);
  // Each thread would reserve 64 MiB for a heap of its own and 8 MiB for its stack.
  mallopt(M_ARENA_MAX, 1);
  pthread_attr_t threads;
  pthread_attr_init(&threads);
  pthread_attr_setstacksize(&threads, kThreadStack);
  pthread_setattr_default_np(&threads);
  pthread_attr_destroy(&threads);
  // The numeric libraries would start threads, and a process with threads cannot be forked whole.
  if (setup.runtime == Runtime::kData) setenv("OPENBLAS_NUM_THREADS", "1", 1);
  if (filter && ready.error.empty()) start_interpreter(setup, ready.error);
  clearenv();
  reserve_heaps();
  if (ready.error.empty()) share_heap(isolation.maps_fd, {rehearse_small_job, rehearse_job});
  close(isolation.maps_fd);
  worker::State* state = make_state();
  if (ready.error.empty() && state == nullptr) {
    ready.error = "the kernel gives no memory that a fork wipes";
  }
  const std::uint64_t base = mapped_bytes(isolation.memory_size_fd);
  close(isolation.memory_size_fd);
  const bool sealed = ready.error.empty() && install_sealed_filter(*filter, *state);
  if (ready.error.empty() && !sealed) ready.error = "the kernel refuses the system-call filter";
  send_ready(kHost, ready);
  close(kHost);  // it is the broker's
  if (!ready.error.empty()) return 1;
  const Notice go;
  if (write(isolation.orders, &go, sizeof(go)) != sizeof(go)) return 1;
  (void)wire::JobFrame{};  // the defaults of a decoded job are made before any child
  run_warm_parent(isolation.orders, *state, {.setup = &setup, .memory_base = base});
  return 0;
}

int serve(const wire::Setup& setup) {
  set_limits();
  Isolation isolation = isolate(setup);
  if (isolation.inner > 0) return run_broker(setup, isolation);
  return run_inside(setup, std::move(isolation));
}

}  // namespace
}  // namespace redqueen::sandbox::worker

int main() {
  using namespace redqueen::sandbox::worker;
  if (fcntl(kHost, F_GETFD) < 0) {
    std::fputs("redqueen-sandbox-worker is started by redqueen; it does nothing by itself.\n",
               stderr);
    return 2;
  }
  close_range(kHost + 1, ~0U, 0);
  clearenv();
  std::signal(SIGPIPE, SIG_IGN);
  move_text_to_huge_pages();
  find_python_library();
  const auto setup = read_setup();
  return setup ? serve(*setup) : 2;
}
