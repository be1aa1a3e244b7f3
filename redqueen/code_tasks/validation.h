// Validation turns proposals into tasks (section 3.3.3 of the paper): everything runs in the
// sandbox, many proposals at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "redqueen/code_tasks/reason.h"
#include "redqueen/code_tasks/syntax.h"
#include "redqueen/code_tasks/task.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::code_tasks {

// Bounds on one call of a program that a policy wrote. The CPU limit comes first, so that verdicts
// do not depend on how busy the machine is.
inline sandbox::Limits default_program_limits() {
  sandbox::Limits limits;
  limits.wall_seconds = 30;
  limits.cpu_seconds = 5;
  limits.memory_bytes = 256ULL << 20;
  limits.output_bytes = 1ULL << 16;
  return limits;
}

// The hash seed of the runs of a program that must agree, the first being 0. Warm interpreters are
// kept for few seeds, so that all programs share them.
std::uint64_t hash_seed_of_run(int run);

struct ProposalOptions {
  sandbox::Limits limits = default_program_limits();
  int runs = 2;  // independent ones that must agree (j of the paper), at least 2
  bool strip_comments =
      false;  // what enters the task has neither comments nor docstrings (appendix D.5)
  bool strip_globals = false;  // … and nothing but imports, functions and classes at its top level
  std::size_t max_program_bytes = 8192;
  std::size_t max_value_bytes = 2048;  // of an input, an output, a message
};

// A proposed task before validation: `task` has everything but its outputs.
struct Candidate {
  CodeTask task;
  std::vector<std::string> components;  // sources of g_0, g_1, …, which its program must call
};

struct Validated {
  Reason reason = Reason::kCrashed;  // kValid: `task` is complete
  std::string detail;                // of the reason, for people: the exception, say
  CodeTask task;
  ProgramMeasures measures;  // of the program as proposed, without components
  LabelledTree tree;         // likewise
};

// Returns verdicts in the order of the candidates, the same however many workers there are. A
// candidate is valid if
// - its program parses, defines f, uses each component, and its inputs are literals;
// - `runs` runs, each in another child with another hash seed, answer every input with a
//   value that has a literal form and is not None, and their values agree in content and type (NaN
//   agrees with NaN);
// - within one run a second call with the same input gives the same value;
// - it names no banned module (sandbox profile `code`) and keeps within the limits.
// Of a kError task, the call must raise instead, in each run an exception of the same built-in
// type. `others` are programs to be read along with them: into `other_trees`, in their order.
std::vector<Validated> validate(sandbox::Sandbox& sandbox, std::span<const Candidate> candidates,
                                const ProposalOptions& options = {},
                                std::span<const std::string> others = {},
                                std::vector<LabelledTree>* other_trees = nullptr);

}  // namespace redqueen::code_tasks
