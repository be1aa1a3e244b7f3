// Programs as language models write them when they are asked for a function f and an input: what
// the sandbox's benchmark runs besides a trivial one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redqueen {

struct BenchProgram {
  std::string source;
  std::string arguments;  // of f, as Python text
};

// Reads programs of the form of programs.py: a line "#> ARGUMENTS" begins each, and what precedes
// the first such line is skipped.
std::vector<BenchProgram> read_bench_programs(std::string_view text);

}  // namespace redqueen
