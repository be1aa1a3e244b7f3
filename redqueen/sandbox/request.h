// A batch as JSON: what `redqueen sandbox exec` reads from a line.
//   source     the program's text; all else may be left out
//   call       an expression to evaluate in the program; or
//   calls      a list of such
//   stdin      what the program reads
//   profile    "pure" (the default) or "code", or an object with `allow` or `ban`, a list of
//              modules, and `ban_attributes`, a list of dotted names
//   limits     an object with any of wall_seconds, cpu_seconds, memory_bytes, output_bytes,
//              recursion
//   hash_seed  below 2^32
//   files      {"name": "text", …}: in the folder of a program of the profiles program and data
//   fetch      names of files that come back with the outcome
//   id         anything; not read here
#pragma once

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/sandbox/job.h"

namespace redqueen::sandbox {

// The bounds of limits that a person sets: on the command line, in a configuration, in a request.
inline constexpr double kLeastWallSeconds = 0.001;
inline constexpr double kMostSeconds = 1e6;
inline constexpr double kLeastMemoryMib = 8;
inline constexpr double kMostMemoryMib = 1 << 24;  // 16 TiB
inline constexpr double kMostOutputKib = 1 << 18;
inline constexpr int kLeastRecursion = 50;
inline constexpr int kMostRecursion = 1'000'000;

// A usage error names the key, what stands there and what may. `defaults`: for limits that the
// request leaves out.
Expected<Batch> read_request(const Json& json, const Limits& defaults);

}  // namespace redqueen::sandbox
