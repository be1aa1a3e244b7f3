// The reasons why a response became a task or an answer, or did not: counted, stored and charted
// under stable names.
#pragma once

#include <cstdint>
#include <string_view>

#include "redqueen/sandbox/job.h"

namespace redqueen::code_tasks {

enum class Reason : std::uint8_t {
  kValid,
  // Extraction: nothing has run yet.
  kNoAnswer,      // no answer mark, or the response was cut off before it closed
  kNoProgram,     // no code in it, or code without a function f
  kNoInput,       // no argument list
  kTooFewInputs,  // fewer different argument lists than asked for
  kNoMessage,     // an induction task without a word
  kTooLong,       // program, input, output or message beyond their limits
  // Reading it as Python.
  kSyntax,              // does not parse
  kNotLiteral,          // an argument list or answer that is no literal
  kUnusedComponent,     // a composed program that leaves one of its components out
  kRedefinedComponent,  // … or defines it anew
  // Running it.
  kBanned,   // a module or name of the list, or a system call that no program needs
  kRaised,   // an exception (of an error task: none, or not one of Python's own)
  kTimeout,  // time or CPU
  kMemory,
  kOutputLimit,
  kCrashed,
  kReturnedNone,      // returned None
  kNotComparable,     // a value that has no literal form
  kNotDeterministic,  // independent runs differ
  kStateful,          // the second call in one run differs from the first
  kKnown,             // the buffer holds it already (an option)
  // Answers.
  kWrong,
};

// "valid", "no_answer", …
std::string_view name_of(Reason reason);

// The reason why a program did not run to its end; kValid if it did.
Reason reason_of(const sandbox::Outcome& outcome);

}  // namespace redqueen::code_tasks
