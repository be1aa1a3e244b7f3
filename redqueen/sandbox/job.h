// The sandbox's input, a job, and its output, an outcome.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/sandbox/config.h"

namespace redqueen::sandbox {

// A file in a program's folder. The name is one component of a path.
struct File {
  std::string name;
  std::string bytes;
  bool operator==(const File&) const = default;
};
// Letters, digits and "._-", at most 100, not beginning with a dot: the same everywhere.
bool is_file_name(std::string_view name);

// A Python program, run once as __main__ in a fresh child before any call.
struct Program {
  // Texts of ours that are executed before the source, in its namespace, one after another: helpers
  // that calls use. What SandboxConfig::preludes lists is not compiled again. They are imported
  // under the profile, and seen by the program.
  std::vector<std::string> preludes;
  std::string source;
  std::string input;  // what it reads from stdin
  // All of it runs in a namespace that is no module: code that the source runs in another namespace
  // finds neither preludes nor source in __main__ or in sys.modules.
  bool hidden = false;
  // Files, where the profile's runtime has them: `files` lie in the program's folder before it
  // starts, and those that `fetch` names come back with the outcome, as far as they are there.
  // Their names are checked.
  std::vector<File> files;
  std::vector<std::string> fetch;
  Profile profile = pure_profile();
  std::uint64_t hash_seed = 0;  // of str and bytes, as PYTHONHASHSEED; below 2^32
  Limits limits;
};

// One thing to evaluate in a program's namespace.
struct Call {
  enum class Kind : std::uint8_t {
    kExpression,  // any Python expression
    kPython,      // function(arguments), arguments as Python text: "1, [2], k=3"
    kLiteral,     // as kPython, but literals only: no name, attribute or call can be smuggled in
    kJson,        // function(*arguments), arguments a JSON array
  };
  Kind kind = Kind::kExpression;
  std::string function;  // empty for expressions
  std::string text;      // the expression, or the arguments

  static Call expression(std::string text) { return {Kind::kExpression, {}, std::move(text)}; }
  static Call python(std::string function, std::string arguments) {
    return {Kind::kPython, std::move(function), std::move(arguments)};
  }
  static Call literal(std::string function, std::string arguments) {
    return {Kind::kLiteral, std::move(function), std::move(arguments)};
  }
  static Call json(std::string function, std::string arguments) {
    return {Kind::kJson, std::move(function), std::move(arguments)};
  }
};

// One program, any number of calls in order in one child (they share the program's state). A call
// that dies takes its child with it; the calls after it continue in a new child that has loaded the
// program anew. Without calls the program itself is what is run (stdin to stdout).
struct Batch {
  Program program;
  std::vector<Call> calls;
};

// One program with one call, or none.
struct Job {
  Program program;
  std::vector<Call> calls;  // at most one
};

enum class OutcomeStatus : std::uint8_t {
  kOk,
  kError,        // an exception that the program did not catch, or text that does not compile
  kTimeout,      // the wall clock
  kCpu,          // the CPU limit
  kMemory,       // the memory limit
  kOutputLimit,  // too much stdout or stderr, or a value whose text is too long
  kRefused,  // a module or attribute outside the profile, or a system call that no program needs
  kCrashed,  // the child died or left without answering
};
std::string_view name_of(OutcomeStatus status);

// Every text is valid UTF-8; what was not is replaced by U+FFFD.
struct Outcome {
  OutcomeStatus status = OutcomeStatus::kCrashed;
  std::string
      value;  // repr of the value, as Python writes it; integers beyond 4,300 digits in hexadecimal
  // the value as text that compare() reads; empty: not comparable (objects of the program's own
  // classes, functions, …)
  std::string canonical;
  // the value as JSON text; empty where it has none (NaN, sets, keys that are no strings, …)
  std::string json;
  std::string out;          // stdout
  std::string err;          // stderr
  std::string exception;    // type name; empty unless there was one
  std::string message;      // of the exception, or what went wrong in a sentence
  std::string traceback;    // lines of the program only, one frame a line, outermost first
  int exit_code = 0;        // of a program without calls: what it left with; 1 after an exception
  std::vector<File> files;  // of Program::fetch, those that are there
  int line = 0;             // of the program where the exception arose; 0: unknown
  // Both as the child says where it answered (a hostile program may lie about itself), else as the
  // worker measured.
  double wall_seconds = 0;
  double cpu_seconds = 0;        // some kernels count it in ticks of 1 to 10 ms
  std::uint64_t peak_bytes = 0;  // largest resident size, the interpreter's own included

  [[nodiscard]] bool ok() const { return status == OutcomeStatus::kOk; }
};

// Two values to compare: canonical texts of outcomes, or literals that a policy wrote.
struct Comparison {
  std::string left;
  std::string right;
};

enum class Equality : std::uint8_t {
  kEqual,
  kDifferent,
  // one side is no literal (a call, a name, broken syntax) or took too long to build
  kNotComparable,
};

}  // namespace redqueen::sandbox
