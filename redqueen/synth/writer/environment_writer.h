// Writes small Python environments at random, from which a policy too small to know Python learns
// before it writes its own, and, with a defect built in, its reviewer learns.
//
// An environment is put together from a kind of data, a task on it in words and in code, a style of
// code, a template of words, and a scorer. Same address, same text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "redqueen/base/rng.h"

namespace redqueen::synth {

// The defects of an environment. All but the last are found by running it
// (synth/validation/validation.h).
enum class Defect : std::uint8_t {
  kNone,
  kSyntax,             // a bracket or a colon is missing
  kMissingMethod,      // one of the four
  kForbiddenImport,    // numpy
  kRaises,             // a name that does not exist
  kUnseeded,           // draws from the module's own generator
  kConstant,           // the same reference for every problem
  kIgnoresDifficulty,  // the same problems at every level
  kLeak,               // the prompt shows the reference
  kAcceptsAnything,    // every answer of the asked form is right
  kWrongReference,     // computes something else than its words ask for: only reading finds it
};
std::string_view name_of(Defect defect);

struct WrittenEnvironment {
  std::string class_name;
  std::string family;  // of its data: list, text, number, pair, recurrence, graph, matrix
  std::string source;  // without a fence
  Defect defect = Defect::kNone;
};

// A defect that does not apply to the task drawn is replaced by another task, never by soundness.
WrittenEnvironment write_environment(Rng& rng, Defect defect = Defect::kNone);

// With probability `broken_share` one of the defects, all alike.
WrittenEnvironment write_environment_or_broken(Rng& rng, double broken_share);

}  // namespace redqueen::synth
