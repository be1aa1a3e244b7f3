// libFuzzer over what a child's own code makes of texts that somebody else wrote: arguments of
// calls and canonical values. The oracle is Python: what the quick readers accept, Python reads
// alike.
#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "redqueen/sandbox/worker/plain_arguments.h"
#include "redqueen/sandbox/worker/value_text.h"

namespace {

using namespace redqueen::sandbox::worker;

PyObject* globals = nullptr;

bool start() {
  Py_InitializeEx(0);
  globals = PyDict_New();
  PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins());
  PyObject* done = PyRun_String(
      "import ast, json\n"
      "class Subclass:\n"
      "    def __init__(self, name, value):\n        self.name, self.value = name, value\n"
      "def python(text):\n    return ast.literal_eval('(' + text + ('' if not text.strip() or "
      "text.strip().endswith(',') else ',') + ')')\n",
      Py_file_input, globals, globals);
  return done != nullptr && keep_library_types() &&
         keep_constructors(PyDict_GetItemString(globals, "Subclass"));
}

// By repr: NaN is not equal to itself.
bool same(PyObject* left, PyObject* right) {
  PyObject* first = PyObject_Repr(left);
  PyObject* second = PyObject_Repr(right);
  const bool equal = first != nullptr && second != nullptr && PyUnicode_Compare(first, second) == 0;
  Py_XDECREF(first);
  Py_XDECREF(second);
  return equal;
}

void check_arguments(std::string_view text, Dialect dialect) {
  PyObject* mine = plain_arguments(text, dialect);
  if (PyErr_Occurred() != nullptr) std::abort();
  if (mine == nullptr) return;
  if (PyTuple_CheckExact(mine) == 0) std::abort();
  if (dialect == Dialect::kPython) {
    PyObject* function = PyDict_GetItemString(globals, "python");
    PyObject* argument =
        PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    PyObject* python = argument != nullptr ? PyObject_CallOneArg(function, argument) : nullptr;
    if (python == nullptr || !same(mine, python)) std::abort();
    Py_XDECREF(python);
    Py_XDECREF(argument);
  }
  Py_DECREF(mine);
}

// What is read can be written, and what is written is read as the same.
void check_canonical(std::string_view text) {
  PyObject* value = read_canonical(text);
  if (PyErr_Occurred() != nullptr) std::abort();
  if (value == nullptr) return;
  try {
    const ValueText written = describe(value, 1 << 20);
    if (!written.canonical.empty()) {
      PyObject* again = read_canonical(written.canonical);
      if (again == nullptr) std::abort();
      if (describe(again, 1 << 20).canonical != written.canonical) std::abort();
      Py_DECREF(again);
    }
  } catch (const PythonError&) {
    PyErr_Clear();
  } catch (const TextTooLong&) {
    PyErr_Clear();
  }
  Py_DECREF(value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool ready = start();
  if (!ready || size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 3 == 0) check_arguments(text, Dialect::kPython);
  if (data[0] % 3 == 1) check_arguments(text, Dialect::kJson);
  if (data[0] % 3 == 2) check_canonical(text);
  return 0;
}
