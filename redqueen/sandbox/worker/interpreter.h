// The embedded CPython of a worker, and what its children do with it.
#pragma once

#include <Python.h>

#include <chrono>
#include <string>

#include "redqueen/sandbox/wire.h"

namespace redqueen::sandbox::worker {

// The name of a program in its folder, where its runtime has files.
inline constexpr const char* kProgramName = "main.py";

// Starts Python with this hash seed, imports the modules, compiles runtime and preludes, and
// freezes the collector so that children share the pages. False: `why` says what failed. Once per
// process.
bool start_interpreter(const wire::Setup& setup, std::string& why);

// Runs one program and its calls, in a child. Not copied: what it holds dies with the process.
class Evaluator {
 public:
  explicit Evaluator(const wire::JobFrame& job) : job_(job), program_(job.program) {}

  // Executes the program. kOk also for a program that ended by sys.exit(0), if nothing is to be
  // called.
  wire::Report load();
  wire::Report call(const Call& call);
  // Runs job.strict's comparison; the two sides are call.function and call.text.
  wire::Report compare(const Call& call);

 private:
  template <typename Body>
  wire::Report guarded(Body body);
  static PyObject* hidden_namespace();
  void exec_program();
  void exec_code(PyObject* code);  // in the program's namespace
  PyObject* value_of(const Call& call);
  PyObject* function_of(const Call& call);
  wire::Report raised();
  wire::Report run_as_main();

  const wire::JobFrame& job_;
  const Program& program_;
  PyObject* globals_ = nullptr;  // of __main__, or of no module
  double cpu_before_ = 0;        // used when the last report was made
  std::uint64_t peak_ = 0;       // bytes, as of peak_asked_
  std::chrono::steady_clock::time_point peak_asked_;
};

// Bytes that the program has written to stdout and stderr, after flushing what Python still
// buffers.
std::pair<std::uint64_t, std::uint64_t> flush_output();

}  // namespace redqueen::sandbox::worker
