// The program redqueen-sandbox-worker: one worker of the sandbox. Started by the engine, with a socket as descriptor 3;
// of no use by itself.
#include <fcntl.h>
#include <linux/filter.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "redqueen/sandbox/wire.h"
#include "redqueen/sandbox/worker/heap_image.h"
#include "redqueen/sandbox/worker/heaps.h"
#include "redqueen/sandbox/worker/huge_text.h"
#include "redqueen/sandbox/worker/interpreter.h"
#include "redqueen/sandbox/worker/isolation.h"
#include "redqueen/sandbox/worker/read_frame.h"
#include "redqueen/sandbox/worker/syscall_filter.h"
#include "redqueen/sandbox/worker/warm_parent.h"

namespace redqueen::worker {
namespace {

constexpr int kHost = 3;

std::optional<wire::Setup> read_setup() {
  std::string bytes;
  wire::Frame frame;
  if (read_frame(kHost, bytes, frame) != FrameRead::kFrame) return std::nullopt;
  if (frame.kind != wire::Kind::kSetup) return std::nullopt;
  return wire::decode_setup(frame.payload);
}

void send_ready(const wire::Ready& ready) {
  const std::string bytes = wire::encode(ready);
  (void)!send(kHost, bytes.data(), bytes.size(), MSG_NOSIGNAL);
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

int serve(const wire::Setup& setup) {
  wire::Ready ready;
  Isolation isolation = isolate(setup, kHost);
  set_limits();
  const auto filters = build_filters(isolation.files_closed, ready.error);
  using State = LayerState::State;
  isolation.layers.push_back(
      {"system-call filter", filters ? State::kOn : State::kUnavailable,
       filters ? "of " + std::to_string(filters->inherited.size()) + " instructions, with " +
                     std::to_string(filters->own.size()) + " more put on by every child"
               : ready.error,
       filters ? "" : "Use a kernel with CONFIG_SECCOMP_FILTER."});
  isolation.layers.push_back(
      {"resource limits", State::kOn, "memory, CPU, output, descriptors, processes, core", ""});
  ready.layers = std::move(isolation.layers);
  if (filters) start_interpreter(setup, ready.error);
  reserve_heaps();
  if (ready.error.empty()) share_heap(isolation.maps_fd, {rehearse_small_job, rehearse_job});
  close(isolation.maps_fd);
  if (ready.error.empty() && !install_filter(filters->inherited)) {
    ready.error = "the kernel refuses the system-call filter";
  }
  if (!ready.error.empty()) {
    send_ready(ready);
    return 1;
  }
  const std::uint64_t base = mapped_bytes(isolation.memory_size_fd);
  close(isolation.memory_size_fd);
  send_ready(ready);
  // What children read is made before: the filter in here, and the defaults of a decoded job.
  WarmParent parent(kHost, filters->own, base);
  (void)wire::JobFrame{};
  open_parent_heap();
  parent.run();
  return 0;
}

}  // namespace
}  // namespace redqueen::worker

int main() {
  using namespace redqueen::worker;
  if (fcntl(kHost, F_GETFD) < 0) {
    std::fputs("redqueen-sandbox-worker is started by redqueen; it does nothing by itself.\n",
               stderr);
    return 2;
  }
  close_range(kHost + 1, ~0U, 0);
  clearenv();
  std::signal(SIGPIPE, SIG_IGN);
  move_text_to_huge_pages();
  const auto setup = read_setup();
  return setup ? serve(*setup) : 2;
}
