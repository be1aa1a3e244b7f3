// The sub-commands of `redqueen bench`, a file each.
#pragma once

#include <chrono>

#include "redqueen/base/clock.h"
#include "redqueen/cli/commands.h"

namespace redqueen {

// Returns the items a second of `work`, which does `items` of them a call and is called until
// `seconds` are over.
template <typename Work>
double rate_of(int seconds, std::size_t items, Work work) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  double elapsed = 0;
  double done = 0;
  while (elapsed < seconds) {
    work();
    done += static_cast<double>(items);
    elapsed = seconds_since(start);
  }
  return done / elapsed;
}

void add_bench_azr(Command bench);
void add_bench_curricula(Command bench);
void add_bench_genenv(Command bench);
void add_bench_gym(Command bench);
void add_bench_sandbox(Command bench);
void add_bench_synth(Command bench);
void add_bench_train(Command bench);
void add_bench_worlds(Command bench);

}  // namespace redqueen
