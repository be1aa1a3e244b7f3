// Programs as language models write them when they are asked for a function f and an input: what
// the sandbox's benchmark runs besides a trivial one.
#pragma once

#include <array>

namespace redqueen {

struct BenchProgram {
  const char* source;
  const char* arguments;  // of f, as Python text
};

inline constexpr std::size_t kBenchPrograms = 40;
extern const std::array<BenchProgram, kBenchPrograms> bench_programs;

}  // namespace redqueen
