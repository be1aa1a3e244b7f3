// The sandbox's configuration: limits of one job, import profiles, and the pool of workers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::sandbox {

// The limits of one call (or, for a program without calls, of the program). A breach ends the child
// that runs it.
struct Limits {
  double wall_seconds = 10;
  double cpu_seconds = 0;                     // 0: only the wall clock counts
  std::uint64_t memory_bytes = 512ULL << 20;  // address space beyond the warm interpreter's own
  std::uint64_t output_bytes = 1ULL << 20;  // of stdout, of stderr, and of the value's text, each,
                                            // and of any file that a program writes
  int recursion = 1000;                     // Python frames, as sys.setrecursionlimit
  bool operator==(const Limits&) const = default;
};

// The interpreter that a profile's programs run in; each kind has workers of its own, which start
// when they are first needed.
enum class Runtime : std::uint8_t {
  kPlain,    // no files, no threads; modules as the profile says
  kProgram,  // threads, and a folder of files that is the program's alone
  kData,     // as kProgram, with the packages of SandboxConfig::data_packages
};

// The modules that a program may import. A courtesy with clear messages: containment does not rest
// on it.
struct Profile {
  std::string name;
  bool allow_only = false;           // true: nothing but `modules`; false: anything but `modules`
  std::vector<std::string> modules;  // top-level names
  std::vector<std::string> attributes;  // dotted names that must not be spelled out, as os.environ
  Runtime runtime = Runtime::kPlain;
  bool operator==(const Profile&) const = default;
};

// random, math, collections, itertools, heapq, bisect, functools, re, typing (EvoEnv's subset).
const Profile& pure_profile();
// The standard library less the list that Absolute Zero bans (its figure 8).
const Profile& code_profile();
// Returns the profile of programs that users run: no module is refused, sys.exit and the exit code
// are its answer, an exception ends it with CPython's own traceback on stderr, threads and files
// work.
const Profile& program_profile();
// The same, with numpy and what else lies beside it.
const Profile& data_profile();
// By name; a usage error names those that exist.
Expected<Profile> find_profile(std::string_view name);

// The isolation that must be there for the sandbox to start.
enum class Require {
  kStandard,  // the syscall filter, no privileges, resource limits
  kStrict,    // all of that, every namespace and Landlock as well
};

struct SandboxConfig {
  int workers = 0;  // jobs at a time; 0: one per core
  Require require = Require::kStrict;
  Limits limits;            // for callers that state none
  int warm_hash_seeds = 4;  // per worker: interpreters kept warm, each with its hash seed
  std::vector<std::string>
      preload;  // modules imported once, before any job; empty: default_preload()
  std::vector<std::string> preludes;  // compiled once, before any job (Program::preludes)
  std::string worker_path;  // empty: $REDQUEEN_SANDBOX_WORKER, else beside the running binary
  // A folder of Python packages (site-packages) for the profile `data`, read-only to it; empty:
  // that of the system's Python.
  std::string data_packages;
  std::string cgroup;  // an empty, delegated cgroup v2 folder; empty: a sibling of our own
  std::uint64_t cgroup_memory_bytes = 4ULL << 30;  // of one worker with all its children
  bool use_namespaces = true;
  bool use_landlock = true;
  bool use_cgroup = true;
  // Told once, at the start, which layers of `strict` are not there (missing_layers() of layers.h);
  // not called where none is missing.
  void (*on_missing_layers)(const std::string& layers) = nullptr;
};

std::vector<std::string> default_preload();

}  // namespace redqueen::sandbox
