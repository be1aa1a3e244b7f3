#include "redqueen/sandbox/worker/sealed_calls.h"

#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstring>
#include <new>

namespace redqueen::sandbox::worker {
namespace {

constexpr std::array kSealed = {SYS_clone, SYS_wait4, SYS_kill, SYS_recvmsg, SYS_clock_gettime};
constexpr std::size_t kUsedStack = 8192;

// The sixth argument is loaded from memory, used, and cleared, in one piece: fork's child comes out
// of the call with its parent's registers, and clears its own.
long sealed_call(const State& state, long number, long a, long b, long c, long d) {
#if defined(__x86_64__)
  long result = number;
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = 0;
  asm volatile(
      "movq %[secret], %%r9\n\t"
      "syscall\n\t"
      "xorl %%r9d, %%r9d"
      : "+a"(result)
      : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), [secret] "m"(state.secret)
      : "rcx", "r9", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long call asm("x8") = number;
  register long first asm("x0") = a;
  register long second asm("x1") = b;
  register long third asm("x2") = c;
  register long fourth asm("x3") = d;
  register long fifth asm("x4") = 0;
  asm volatile(
      "ldr x5, %[secret]\n\t"
      "svc #0\n\t"
      "mov x5, xzr"
      : "+r"(first)
      : "r"(call), "r"(second), "r"(third), "r"(fourth), "r"(fifth), [secret] "m"(state.secret)
      : "x5", "memory");
  return first;
#else
#error "the sandbox knows the registers of x86-64 and of 64-bit ARM"
#endif
}

template <typename T>
long address(T* pointer) {
  return static_cast<long>(reinterpret_cast<std::uintptr_t>(pointer));
}

sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

// Of one of the sealed calls: allow it where the secret stands; everything else is up to `filter`.
[[gnu::noinline]] bool install_behind_secret(const std::vector<sock_filter>& filter,
                                             const State& state) {
  constexpr std::size_t kPrefix = 7 + kSealed.size();
  const std::size_t bytes = (filter.size() + kPrefix) * sizeof(sock_filter);
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  auto* next = static_cast<sock_filter*>(place);
  constexpr std::size_t kSecret = offsetof(seccomp_data, args) + 5 * sizeof(std::uint64_t);
  *next++ = load(offsetof(seccomp_data, nr));
  for (std::size_t i = 0; i < kSealed.size(); ++i) {
    const auto to_secret = static_cast<std::uint8_t>(kSealed.size() - i);
    *next++ =
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(kSealed[i]), to_secret, 0);
  }
  *next++ = BPF_STMT(BPF_JMP | BPF_JA, 5);
  *next++ = load(kSecret);
  *next++ = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(state.secret), 0, 3);
  *next++ = load(kSecret + 4);
  *next++ =
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(state.secret >> 32), 0, 1);
  *next++ = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  std::memcpy(next, filter.data(), filter.size() * sizeof(sock_filter));
  const sock_fprog program{static_cast<unsigned short>(filter.size() + kPrefix),
                           static_cast<sock_filter*>(place)};
  // Without SPEC_ALLOW older kernels switch off speculative stores for the child, which costs a
  // tenth of its speed.
  const bool done = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                            &program) == 0 ||
                    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
  explicit_bzero(place, kPrefix * sizeof(sock_filter));
  munmap(place, bytes);
  return done;
}

// Clears the stack that a function that has returned left below us.
[[gnu::noinline]] void clear_used_stack() {
  char used[kUsedStack];
  explicit_bzero(used, sizeof(used));
}

}  // namespace

State* make_state() {
  void* place =
      mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Wiped, not left out: user-mode Linux 6.1 loses memory of the parent when a child that lacks it
  // maps something in its place.
  if (place == MAP_FAILED || madvise(place, sizeof(State), MADV_WIPEONFORK) != 0) return nullptr;
  auto* state = new (place) State;
  return getrandom(&state->secret, sizeof(state->secret), 0) == sizeof(state->secret) ? state
                                                                                      : nullptr;
}

bool install_sealed_filter(const std::vector<sock_filter>& filter, const State& state) {
  const bool done = install_behind_secret(filter, state);
  clear_used_stack();
  return done;
}

// The bare call: the C library's fork() does much for threads, of which there are none here.
pid_t sealed_fork(const State& state) {
  return static_cast<pid_t>(sealed_call(state, SYS_clone, SIGCHLD, 0, 0, 0));
}

long sealed_wait(const State& state, pid_t pid, int& status, int options, rusage& usage) {
  return sealed_call(state, SYS_wait4, pid, address(&status), options, address(&usage));
}

long sealed_kill(const State& state, pid_t pid, int signal) {
  return sealed_call(state, SYS_kill, pid, signal, 0, 0);
}

long sealed_receive(const State& state, int socket, void* message, int flags) {
  return sealed_call(state, SYS_recvmsg, socket, address(message), flags, 0);
}

long sealed_clock(const State& state, clockid_t clock, timespec& now) {
  return sealed_call(state, SYS_clock_gettime, clock, address(&now), 0, 0);
}

}  // namespace redqueen::sandbox::worker
