// Measures the steps a second of an environment that takes turns.
#pragma once

#include <cstdint>
#include <ctime>

#include "redqueen/base/rng.h"
#include "redqueen/core/environment.h"

namespace redqueen {

// Steps of episodes in a second of CPU time, begin() and verdict() included, the making of problems
// and of turns not: episodes of `problems` problems of `level`, played with the reference and with
// random turns.
inline double steps_per_second(const Environment& environment, int level, int problems) {
  std::int64_t steps = 0;
  std::clock_t spent = 0;
  for (int seed = 0; seed < problems; ++seed) {
    const Generated problem = environment.generate(level, static_cast<std::uint64_t>(seed));
    if (!problem) continue;
    Rng rng({.purpose = hash_name("steps"), .index = static_cast<std::uint64_t>(seed)});
    const auto random = read_transcript((*problem)->random_answer(rng));
    for (const auto& turns : {(*problem)->reference_actions({}), *random}) {
      const std::clock_t start = std::clock();
      const auto episode = (*problem)->start({});
      episode->begin();
      for (const Action& turn : turns) {
        ++steps;
        if (episode->step(turn).done()) break;
      }
      (void)episode->verdict();
      spent += std::clock() - start;
    }
  }
  return static_cast<double>(steps) * CLOCKS_PER_SEC /
         static_cast<double>(std::max<std::clock_t>(spent, 1));
}

}  // namespace redqueen
