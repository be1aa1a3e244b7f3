// System calls that the warm parent may make and its children may not, under one filter for both.
//
// A filter cannot see who calls, but it sees all six argument registers. Those calls have one to
// spare, and are allowed only where it holds a secret. The secret lies in memory that is not
// forked, and no instruction of a child ever runs with it in a register.
#pragma once

#include <linux/filter.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <vector>

#include "redqueen/sandbox/worker/orders.h"

namespace redqueen::sandbox::worker {

struct Place {
  ChildFiles files;
  pid_t pid = -1;
};

// The warm parent's secrets; a child finds zeros in their place.
struct State {
  std::uint64_t secret = 0;
  std::uint32_t places_used = 0;
  std::array<Place, kMaxSlots> places;
};

// Null: the kernel gives no memory that a fork wipes.
State* make_state();

// Puts `filter` on this process for good, behind instructions that let the calls below through.
// Leaves no copy of the secret. Needs no_new_privs.
bool install_sealed_filter(const std::vector<sock_filter>& filter, const State& state);

// Do what the system calls of these names do; −errno where they fail.
pid_t sealed_fork(const State& state);
long sealed_wait(const State& state, pid_t pid, int& status, int options, rusage& usage);
long sealed_kill(const State& state, pid_t pid, int signal);
long sealed_clock(const State& state, clockid_t clock, timespec& now);
long sealed_receive(const State& state, int socket, void* message, int flags);

}  // namespace redqueen::sandbox::worker
