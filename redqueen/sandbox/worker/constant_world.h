// A world in which nothing varies but the program and its input: what it computes is a function of
// these two. Clocks advance by a microsecond each time they are read and by as much as is slept,
// the kernel's entropy is one fixed sequence, process and thread numbers are constant, files have
// no ages, and no signal interrupts the program.
//
// The worker defines the functions of the C library by which Python comes by such things, and
// Python's modules, however a program reaches them, call these definitions. Addresses, the hashes
// of text and what follows from them (the order of sets) do vary, between hash seeds: whoever
// wants a function of the input runs the program with two.
#pragma once

#include <sys/resource.h>
#include <time.h>

#include "redqueen/sandbox/config.h"

namespace redqueen::sandbox::worker {

// Whether the programs of a profile live in it: those of a profile that bans both the modules
// `time` and `random`, for what is banned is not to be had in a roundabout way either.
bool stands_still(const Profile& profile);

// From here on, and until this process ends, the world stands still.
void hold_world_still();

// Answers as the C library does, in any world; for measuring.
int true_clock_gettime(clockid_t clock, timespec* now);
int true_getrusage(__rusage_who_t who, rusage* usage);

}  // namespace redqueen::sandbox::worker
