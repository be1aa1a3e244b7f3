#include "redqueen/sandbox/worker/interpreter.h"

#include <frameobject.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <new>

#include "redqueen/sandbox/worker/constant_world.h"
#include "redqueen/sandbox/worker/import_guard.h"
#include "redqueen/sandbox/worker/plain_arguments.h"
#include "redqueen/sandbox/worker/root.h"
#include "redqueen/sandbox/worker/runtime_source.h"
#include "redqueen/sandbox/worker/value_text.h"

namespace redqueen::sandbox::worker {
namespace {

constexpr std::size_t kMaxMessage = 4096;
constexpr std::size_t kMaxFrames = 20;  // of a traceback, counted from the innermost
constexpr const char* kNoFile = "<program>";
const char* program_file = kNoFile;  // a file where the runtime has files
constexpr const char* kPreludeFile = "<prelude>";

// Taken before any program runs, so that no program can replace them.
struct Kept {
  PyObject* runtime = nullptr;  // the runtime's globals
  PyObject* refused = nullptr;  // its exception
  PyObject* out = nullptr;      // sys.stdout
  PyObject* err = nullptr;
  PyObject* flush = nullptr;  // io.TextIOWrapper.flush, unbound
};
Kept kept;

// Code by text; made before any child is.
std::map<std::string, PyObject*> compiled_preludes;

PyObject* checked(PyObject* object) {
  if (object == nullptr) throw PythonError{};
  return object;
}

PyObject* runtime_function(const char* name) {
  return checked(PyDict_GetItemString(kept.runtime, name));
}

std::string pending_error() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  return value != nullptr ? text_of(value, kMaxMessage) : "unknown Python error";
}

bool initialize(const wire::Setup& setup, std::string& why) {
  PyPreConfig before;
  PyPreConfig_InitIsolatedConfig(&before);
  before.utf8_mode = 1;
  PyStatus status = Py_PreInitialize(&before);
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  config.use_hash_seed = 1;
  config.hash_seed = static_cast<unsigned long>(setup.hash_seed & 0xFFFFFFFFU);
  config.site_import = 0;
  config.install_signal_handlers = 0;
  config.write_bytecode = 0;
  config.pathconfig_warnings = 0;
  config.module_search_paths_set = 1;
  const std::string library = python_library_folder();
  for (const std::string& path : {library, library + "/lib-dynload"}) {
    const std::wstring wide(path.begin(), path.end());
    PyWideStringList_Append(&config.module_search_paths, wide.c_str());
  }
  if (setup.runtime == Runtime::kData) {
    const std::string packages = kPackagesFolder;
    const std::wstring wide(packages.begin(), packages.end());
    PyWideStringList_Append(&config.module_search_paths, wide.c_str());
  }
  PyConfig_SetString(&config, &config.home, L"/usr");
  PyConfig_SetString(&config, &config.program_name, L"python3");
  PyConfig_SetString(&config, &config.stdio_encoding, L"utf-8");
  PyConfig_SetString(&config, &config.stdio_errors, L"backslashreplace");
  if (PyStatus_Exception(status) == 0) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status) == 0) return true;
  why = std::string("Python does not start: ") + (status.err_msg != nullptr ? status.err_msg : "?");
  return false;
}

bool import_modules(const std::vector<std::string>& names, std::string& why) {
  for (const auto& name : names) {
    PyObject* module = PyImport_ImportModule(name.c_str());
    if (module == nullptr) {
      why = "the module '" + name + "' cannot be preloaded: " + pending_error();
      return false;
    }
    Py_DECREF(module);
  }
  return true;
}

bool compile_runtime(std::string& why) {
  PyObject* module = PyModule_New("_redqueen_runtime");
  kept.runtime = PyModule_GetDict(module);
  PyDict_SetItemString(kept.runtime, "__builtins__", PyEval_GetBuiltins());
  PyObject* refusals = refusal_functions();
  if (refusals != nullptr) PyDict_Update(kept.runtime, refusals);
  Py_XDECREF(refusals);
  PyObject* done = PyRun_String(runtime_source().data(), Py_file_input, kept.runtime, kept.runtime);
  if (done == nullptr) {
    why = "the runtime does not load: " + pending_error();
    return false;
  }
  kept.refused = runtime_function("Refused");
  if (!keep_library_types() || !keep_constructors(runtime_function("Subclass"))) {
    why = "the standard library is not as expected: " + pending_error();
    return false;
  }
  kept.out = Py_XNewRef(PySys_GetObject("stdout"));
  kept.err = Py_XNewRef(PySys_GetObject("stderr"));
  kept.flush = PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(kept.out)), "flush");
  if (kept.out == nullptr || kept.err == nullptr || kept.flush == nullptr) {
    why = "Python has no standard output";
    return false;
  }
  return true;
}

// exit() and quit() come with site.py, which is not imported; programs expect them.
void add_exit() {
  PyObject* exit = PySys_GetObject("exit");
  for (const char* name : {"exit", "quit"}) {
    PyDict_SetItemString(PyEval_GetBuiltins(), name, exit);
  }
}

void freeze() {
  PyObject* gc = PyImport_ImportModule("gc");
  for (const char* step : {"collect", "freeze"}) {
    Py_XDECREF(PyObject_CallMethod(gc, step, nullptr));
  }
  Py_XDECREF(gc);
  PyErr_Clear();
}

std::chrono::steady_clock::time_point wall_clock() {
  timespec now{};
  true_clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::steady_clock::time_point(std::chrono::seconds(now.tv_sec) +
                                               std::chrono::nanoseconds(now.tv_nsec));
}

double cpu_seconds() {
  timespec now{};
  true_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::uint64_t peak_bytes() {
  rusage usage{};
  true_getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

bool in_program(PyCodeObject* code) {
  return PyUnicode_CompareWithASCIIString(code->co_filename, program_file) == 0;
}

// The program's frames of a traceback, outermost first, and the line of the innermost.
void describe_traceback(PyObject* trace, wire::Report& report) {
  std::vector<std::string> frames;
  for (auto* entry = reinterpret_cast<PyTracebackObject*>(trace); entry != nullptr;
       entry = entry->tb_next) {
    PyCodeObject* code = PyFrame_GetCode(entry->tb_frame);
    if (in_program(code)) {
      const int line = PyCode_Addr2Line(code, entry->tb_lasti);
      report.line = static_cast<std::uint32_t>(std::max(line, 0));
      frames.push_back("line " + std::to_string(line) + ", in " + text_of(code->co_name, 100));
      if (frames.size() > kMaxFrames) frames.erase(frames.begin());
    }
    Py_DECREF(code);
  }
  for (const auto& frame : frames) report.traceback += frame + "\n";
}

std::uint32_t line_attribute(PyObject* error, const char* name) {
  PyObject* line = PyObject_GetAttrString(error, name);
  const long number = line != nullptr && PyLong_CheckExact(line) != 0 ? PyLong_AsLong(line) : 0;
  Py_XDECREF(line);
  PyErr_Clear();
  return number > 0 ? static_cast<std::uint32_t>(number) : 0;
}

// Whether a banned name can stand in the source at all: spares most programs the walk over their
// syntax tree.
bool may_break(const Profile& profile, const std::string& source) {
  if (profile.allow_only) return source.find("import") != std::string::npos;
  const auto mentions = [&source](std::string_view word) {
    return source.find(word) != std::string::npos;
  };
  return std::any_of(profile.modules.begin(), profile.modules.end(), mentions) ||
         std::any_of(
             profile.attributes.begin(), profile.attributes.end(),
             [&](const std::string& name) { return mentions(name.substr(name.rfind('.') + 1)); });
}

PyObject* compile_text(const std::string& text, const char* file, int start, int flag) {
  // CPython reads C strings: a NUL would silently end the program there.
  PyObject* decoded =
      checked(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict"));
  Py_DECREF(decoded);
  if (text.find('\0') != std::string::npos) {
    PyErr_SetString(PyExc_ValueError, "source code cannot contain null bytes");
    throw PythonError{};
  }
  PyCompilerFlags flags{PyCF_IGNORE_COOKIE | flag, PY_MINOR_VERSION};
  return checked(Py_CompileStringExFlags(text.c_str(), file, start, &flags, -1));
}

PyObject* text_object(const std::string& text) {
  return checked(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict"));
}

PyObject* call_runtime(const char* name, const std::string& text) {
  PyObject* argument = text_object(text);
  PyObject* result = PyObject_CallOneArg(runtime_function(name), argument);
  Py_DECREF(argument);
  return checked(result);
}

bool compile_preludes(const std::vector<std::string>& texts, std::string& why) {
  for (const auto& text : texts) {
    try {
      compiled_preludes[text] = compile_text(text, kPreludeFile, Py_file_input, 0);
    } catch (const PythonError&) {
      why = "a prelude does not compile: " + pending_error();
      return false;
    }
  }
  return true;
}

PyObject* prelude_code(const std::string& text) {
  const auto found = compiled_preludes.find(text);
  return found != compiled_preludes.end() ? Py_NewRef(found->second)
                                          : compile_text(text, kPreludeFile, Py_file_input, 0);
}

}  // namespace

bool start_interpreter(const wire::Setup& setup, std::string& why) {
  if (!initialize(setup, why) || !import_modules(setup.preload, why) || !compile_runtime(why) ||
      !compile_preludes(setup.preludes, why)) {
    return false;
  }
  if (!install_import_guard(kept.refused, runtime_function("mend_asyncio"))) {
    why = "imports cannot be guarded: " + pending_error();
    return false;
  }
  add_exit();
  PyObject* warm = PyObject_CallNoArgs(runtime_function("warm_up"));
  if (warm == nullptr) {
    why = "the runtime does not warm up: " + pending_error();
    return false;
  }
  Py_DECREF(warm);
  freeze();
  return true;
}

wire::Report Evaluator::raised() {
  wire::Report report;
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (type == nullptr || value == nullptr) {
    report.message = "Python reported an error without an exception";
    report.status = OutcomeStatus::kError;
    return report;
  }
  const std::string_view name = reinterpret_cast<PyTypeObject*>(type)->tp_name;
  report.exception = name.substr(name.rfind('.') + 1);
  report.status = PyErr_GivenExceptionMatches(type, kept.refused) != 0 ? OutcomeStatus::kRefused
                  : PyErr_GivenExceptionMatches(type, PyExc_MemoryError) != 0
                      ? OutcomeStatus::kMemory
                      : OutcomeStatus::kError;
  if (trace != nullptr) describe_traceback(trace, report);
  if (report.line == 0) {
    report.line =
        line_attribute(value, report.status == OutcomeStatus::kRefused ? "line" : "lineno");
  }
  report.message = text_of(value, kMaxMessage);
  Py_DECREF(type);
  Py_DECREF(value);
  Py_XDECREF(trace);
  return report;
}

template <typename Body>
wire::Report Evaluator::guarded(Body body) {
  wire::Report report;
  const double start = cpu_before_ > 0 ? cpu_before_ : cpu_seconds();
  const auto begin = wall_clock();
  try {
    try {
      report = body();
    } catch (const PythonError&) {
      report = raised();
    } catch (const TextTooLong&) {
      PyErr_Clear();
      report.status = OutcomeStatus::kOutputLimit;
      report.message = "the text of the value is longer than the output limit";
    }
  } catch (const std::bad_alloc&) {
    PyErr_Clear();
    report = {};
    report.status = OutcomeStatus::kMemory;
  }
  const auto end = wall_clock();
  report.wall_seconds = std::chrono::duration<double>(end - begin).count();
  cpu_before_ = cpu_seconds();
  report.cpu_seconds = cpu_before_ - start;
  // Asking costs as much as a short call takes.
  if (peak_ == 0 || end - peak_asked_ > std::chrono::milliseconds(1)) {
    peak_ = peak_bytes();
    peak_asked_ = end;
  }
  report.peak_bytes = peak_;
  return report;
}

// Looks like that of __main__ from inside.
PyObject* Evaluator::hidden_namespace() {
  PyObject* globals = checked(PyDict_New());
  PyObject* name = checked(PyUnicode_FromString("__main__"));
  PyDict_SetItemString(globals, "__name__", name);
  PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins());
  Py_DECREF(name);
  return globals;
}

void Evaluator::exec_code(PyObject* code) {
  PyObject* result = PyEval_EvalCode(code, globals_, globals_);
  Py_DECREF(code);
  Py_DECREF(checked(result));
}

void Evaluator::exec_program() {
  globals_ = program_.hidden ? hidden_namespace()
                             : checked(PyModule_GetDict(checked(PyImport_AddModule("__main__"))));
  const Profile& profile = program_.profile;
  if (profile.runtime != Runtime::kPlain) program_file = kProgramName;
  if (stands_still(profile)) hold_world_still();
  set_import_profile(&profile);
  for (const std::string& prelude : program_.preludes) exec_code(prelude_code(prelude));
  const bool doubtful = may_break(profile, program_.source);
  if (doubtful && !profile.allow_only) {
    PyObject* tree = compile_text(program_.source, program_file, Py_file_input, PyCF_ONLY_AST);
    Py_DECREF(checked(PyObject_CallOneArg(runtime_function("check"), tree)));
    Py_DECREF(tree);
  }
  PyObject* code = compile_text(program_.source, program_file, Py_file_input, 0);
  if (doubtful && profile.allow_only) check_imports(code);
  constexpr Limit<int> kRecursion = limit_of(&Limits::recursion);
  Py_SetRecursionLimit(std::clamp(program_.limits.recursion, kRecursion.least, kRecursion.most));
  exec_code(code);
}

wire::Report Evaluator::load() {
  return guarded([this] {
    if (program_.profile.runtime != Runtime::kPlain && job_.mode == wire::Mode::kBatch &&
        job_.calls.empty()) {
      return run_as_main();
    }
    try {
      exec_program();
    } catch (const PythonError&) {
      const bool may_exit = job_.mode == wire::Mode::kBatch && job_.calls.empty();
      if (!may_exit || PyErr_ExceptionMatches(PyExc_SystemExit) == 0) throw;
      wire::Report report = raised();
      if (report.message.empty() || report.message == "0" || report.message == "None") {
        report = {};
        report.status = OutcomeStatus::kOk;
      }
      return report;
    }
    wire::Report report;
    report.status = OutcomeStatus::kOk;
    return report;
  });
}

// As `python3 main.py` does it: what is not caught is told on stderr, threads are waited for, and
// the program leaves with a code.
wire::Report Evaluator::run_as_main() {
  wire::Report report;
  report.status = OutcomeStatus::kOk;
  try {
    exec_program();
  } catch (const PythonError&) {
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value != nullptr && trace != nullptr) PyException_SetTraceback(value, trace);
    PyObject* code = value != nullptr
                         ? PyObject_CallFunctionObjArgs(runtime_function("end_of"), value, nullptr)
                         : nullptr;
    report.exit_code = code != nullptr ? static_cast<std::uint32_t>(PyLong_AsLong(code)) & 0xFF : 1;
    PyErr_Clear();
    Py_XDECREF(code);
    PyErr_Restore(type, value, trace);
    const std::uint32_t exit_code = report.exit_code;
    if (exit_code == 0) {
      PyErr_Clear();
    } else {
      report = raised();
      report.exit_code = exit_code;
    }
  }
  Py_XDECREF(PyObject_CallNoArgs(runtime_function("finish")));
  PyErr_Clear();
  return report;
}

PyObject* Evaluator::value_of(const Call& call) {
  if (call.kind == Call::Kind::kExpression) {
    PyObject* code = compile_text(call.text, "<call>", Py_eval_input, 0);
    return checked(PyEval_EvalCode(code, globals_, globals_));
  }
  if (call.kind == Call::Kind::kPython) {
    PyObject* function = text_object(call.function);
    PyObject* text = text_object(call.text);
    PyObject* code = checked(
        PyObject_CallFunctionObjArgs(runtime_function("expression"), function, text, nullptr));
    return checked(PyEval_EvalCode(code, globals_, globals_));
  }
  const bool json = call.kind == Call::Kind::kJson;
  PyObject* keywords = nullptr;
  PyObject* both = nullptr;
  PyObject* arguments = plain_arguments(call.text, json ? Dialect::kJson : Dialect::kPython);
  if (arguments == nullptr) {
    both = call_runtime(json ? "json_arguments" : "literal_arguments", call.text);
    arguments = Py_NewRef(PyTuple_GetItem(both, 0));
    keywords = PyTuple_GetItem(both, 1);
  }
  PyObject* function = function_of(call);
  PyObject* value = PyObject_Call(function, arguments, keywords);
  Py_DECREF(function);
  Py_DECREF(arguments);
  Py_XDECREF(both);
  return checked(value);
}

// A name is looked up as the compiler's code would, without compiling it for every call.
PyObject* Evaluator::function_of(const Call& call) {
  if (is_plain_name(call.function)) {
    PyObject* found = PyDict_GetItemString(globals_, call.function.c_str());
    if (found != nullptr) return Py_NewRef(found);
  }
  PyObject* code = compile_text(call.function, "<call>", Py_eval_input, 0);
  PyObject* function = PyEval_EvalCode(code, globals_, globals_);
  Py_DECREF(code);
  return checked(function);
}

wire::Report Evaluator::call(const Call& call) {
  return guarded([&] {
    PyObject* value = value_of(call);
    ValueText text = describe(value, program_.limits.output_bytes);
    Py_DECREF(value);
    wire::Report report;
    report.status = OutcomeStatus::kOk;
    report.value = std::move(text.value);
    report.canonical = std::move(text.canonical);
    report.json = std::move(text.json);
    return report;
  });
}

wire::Report Evaluator::compare(const Call& call) {
  return guarded([&] {
    // Canonical values are read without Python's compiler; all others by the runtime.
    PyObject* left = read_canonical(call.function);
    PyObject* right = read_canonical(call.text);
    PyObject* unread = PyTuple_Pack(2, left == nullptr ? Py_True : Py_False,
                                    right == nullptr ? Py_True : Py_False);
    if (left == nullptr) left = text_object(call.function);
    if (right == nullptr) right = text_object(call.text);
    PyObject* same = checked(PyObject_CallFunctionObjArgs(runtime_function("compare"), left, right,
                                                          job_.strict ? Py_True : Py_False,
                                                          checked(unread), nullptr));
    wire::Report report;
    report.status = OutcomeStatus::kOk;
    report.value = same == Py_True ? "True" : "False";
    for (PyObject* object : {left, right, unread, same}) Py_DECREF(object);
    return report;
  });
}

std::pair<std::uint64_t, std::uint64_t> flush_output() {
  for (PyObject* stream : {kept.out, kept.err}) {
    Py_XDECREF(PyObject_CallOneArg(kept.flush, stream));
    PyErr_Clear();
  }
  struct stat out {};
  struct stat err {};
  fstat(1, &out);
  fstat(2, &err);
  return {static_cast<std::uint64_t>(out.st_size), static_cast<std::uint64_t>(err.st_size)};
}

}  // namespace redqueen::sandbox::worker
