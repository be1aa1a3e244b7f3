#include "redqueen/sandbox/worker/import_guard.h"

#include <opcode.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <vector>

#include "redqueen/sandbox/worker/constant_world.h"
#include "redqueen/sandbox/worker/value_text.h"

namespace redqueen::sandbox::worker {
namespace {

// C functions import these in the name of whoever calls them.
constexpr std::array<std::string_view, 10> kInternal = {
    "_strptime", "builtins",  "codecs",   "copyreg",   "encodings",
    "io",        "linecache", "tokenize", "traceback", "warnings"};

const Profile* profile = nullptr;
PyObject* refused_type = nullptr;
PyObject* name_key = nullptr;  // "__name__"
PyObject* real_import_module = nullptr;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Empty for what is no str, or not in Unicode.
std::string_view text_view(PyObject* text) {
  if (text == nullptr || !PyUnicode_CheckExact(text)) return {};
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) PyErr_Clear();
  return bytes != nullptr ? std::string_view(bytes, static_cast<std::size_t>(size))
                          : std::string_view();
}

// The first dotted prefix of `name` that `banned` holds.
template <typename Banned>
std::string banned_prefix(std::string_view name, Banned banned) {
  for (std::size_t dot = 0; dot != std::string_view::npos; ++dot) {
    dot = name.find('.', dot);
    const std::string_view prefix = name.substr(0, dot);
    if (banned(prefix)) return "'" + std::string(prefix) + "' is banned by the profile";
    if (dot == std::string_view::npos) break;
  }
  return {};
}

std::string not_allowed(std::string_view top) {
  auto names = profile->modules;
  std::sort(names.begin(), names.end());
  std::string text = "the module '" + std::string(top) + "' is not in the profile; allowed: ";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i > 0 ? ", " : "") + names[i];
  return text;
}

bool is_main(PyObject* globals) {
  if (globals == nullptr || !PyDict_Check(globals)) return true;
  return text_view(PyDict_GetItemWithError(globals, name_key)) == "__main__";
}

bool refuse(const std::string& problem) {
  if (problem.empty()) return false;
  PyErr_SetString(refused_type, problem.c_str());
  return true;
}

// Whether the import was refused; the exception is set then.
bool refuse_import(std::string_view name, PyObject* names) {
  if (refuse(import_refusal(name))) return true;
  if (profile->allow_only || names == nullptr || !PyTuple_Check(names)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    const std::string_view item = text_view(PyTuple_GET_ITEM(names, i));
    if (!item.empty() && refuse(import_refusal(std::string(name) + "." + std::string(item)))) {
      return true;
    }
  }
  return false;
}

// _random.Random.seed and the generator of random's functions; null where random is not preloaded.
PyObject* seed_method = nullptr;
PyObject* generator = nullptr;
PyObject* seed_numpy = nullptr;  // numpy.random.seed; null where that is not preloaded
bool is_seeded = false;

// Called once asyncio is imported: its loop is to do with what a child may.
PyObject* after_asyncio = nullptr;
bool is_mended = false;

void keep_random() {
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* random = PyDict_GetItemString(modules, "random");
  PyObject* c_random = PyDict_GetItemString(modules, "_random");
  if (random == nullptr || c_random == nullptr) return;
  PyObject* type = PyObject_GetAttrString(c_random, "Random");
  generator = PyObject_GetAttrString(random, "_inst");
  seed_method = type != nullptr ? PyObject_GetAttrString(type, "seed") : nullptr;
  Py_XDECREF(type);
  PyObject* numpy_random = PyDict_GetItemString(modules, "numpy.random");
  if (numpy_random != nullptr) seed_numpy = PyObject_GetAttrString(numpy_random, "seed");
  PyErr_Clear();
}

// Every child inherits one state of the module random and one of numpy's, and would draw what all
// others draw. Nothing else of what os.fork() takes care of concerns us: there is one thread, and
// no lock is held.
void seed_random() {
  is_seeded = true;
  if (seed_numpy != nullptr) {
    Py_XDECREF(PyObject_CallNoArgs(seed_numpy));
    PyErr_Clear();
  }
  unsigned char entropy[32];
  if (seed_method == nullptr || generator == nullptr ||
      getrandom(entropy, sizeof(entropy), 0) != sizeof(entropy)) {
    return;
  }
  PyObject* number = _PyLong_FromByteArray(entropy, sizeof(entropy), 1, 0);
  if (number != nullptr) {
    Py_XDECREF(PyObject_CallFunctionObjArgs(seed_method, generator, number, nullptr));
    Py_DECREF(number);
  }
  PyErr_Clear();
}

PyObject* guarded_import(PyObject*, PyObject* arguments, PyObject* keywords) {
  static const char* const kNames[] = {"name", "globals", "locals", "fromlist", "level", nullptr};
  PyObject* name = nullptr;
  PyObject* globals = nullptr;
  PyObject* locals = nullptr;
  PyObject* names = nullptr;
  int level = 0;
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "U|OOOi:__import__",
                                  const_cast<char**>(kNames), &name, &globals, &locals, &names,
                                  &level) == 0) {
    return nullptr;
  }
  // A program comes by random only through an import, its own or that of what it imports.
  if (profile != nullptr && !is_seeded) seed_random();
  if (profile != nullptr && level == 0 && is_main(globals)) {
    const std::string_view text = text_view(name);
    const std::string_view top = text.substr(0, text.find('.'));
    const bool internal = std::find(kInternal.begin(), kInternal.end(), top) != kInternal.end();
    if (!internal && refuse_import(text, names)) return nullptr;
  }
  PyObject* module = PyImport_ImportModuleLevelObject(name, globals, locals, names, level);
  if (module != nullptr && !is_mended && level == 0 && after_asyncio != nullptr &&
      text_view(name).starts_with("asyncio")) {
    is_mended = true;  // also while it is being done, which imports
    PyObject* done = PyObject_CallNoArgs(after_asyncio);
    if (done == nullptr) PyErr_Clear();
    is_mended = done != nullptr;  // not from within asyncio, while it is not all there
    Py_XDECREF(done);
  }
  return module;
}

PyObject* guarded_import_module(PyObject*, PyObject* arguments, PyObject* keywords) {
  const bool checks = profile != nullptr && PyTuple_GET_SIZE(arguments) > 0;
  if (checks && is_main(PyEval_GetGlobals()) &&
      refuse(import_refusal(text_view(PyTuple_GET_ITEM(arguments, 0))))) {
    return nullptr;
  }
  return PyObject_Call(real_import_module, arguments, keywords);
}

template <typename Refusal>
PyObject* refusal_of(PyObject* name, Refusal refusal) {
  const std::string problem = refusal(text_view(name));
  if (problem.empty()) Py_RETURN_NONE;
  return PyUnicode_FromStringAndSize(problem.data(), static_cast<Py_ssize_t>(problem.size()));
}
PyObject* python_import_refusal(PyObject*, PyObject* name) {
  return refusal_of(name, import_refusal);
}
PyObject* python_attribute_refusal(PyObject*, PyObject* name) {
  return refusal_of(name, attribute_refusal);
}

template <typename Function>
PyCFunction as_c_function(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef import_method = {"__import__", as_c_function(&guarded_import),
                             METH_VARARGS | METH_KEYWORDS, nullptr};
PyMethodDef import_module_method = {"import_module", as_c_function(&guarded_import_module),
                                    METH_VARARGS | METH_KEYWORDS, nullptr};
PyMethodDef refusal_methods[] = {{"import_refusal", &python_import_refusal, METH_O, nullptr},
                                 {"attribute_refusal", &python_attribute_refusal, METH_O, nullptr}};

[[noreturn]] void raise_refusal(const std::string& problem, int line) {
  PyObject* error = PyObject_CallFunction(refused_type, "s", problem.c_str());
  PyObject* number = error != nullptr ? PyLong_FromLong(line) : nullptr;
  if (number != nullptr && PyObject_SetAttrString(error, "line", number) == 0) {
    PyErr_SetObject(refused_type, error);
  }
  Py_XDECREF(number);
  Py_XDECREF(error);
  throw PythonError{};
}

// The compiler writes LOAD_CONST level, LOAD_CONST names, IMPORT_NAME module; only level 0 is
// absolute.
void check_imports_of(PyCodeObject* code) {
  PyObject* bytes = PyCode_GetCode(code);
  if (bytes == nullptr) throw PythonError{};
  const auto* unit = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(bytes));
  const Py_ssize_t size = PyBytes_GET_SIZE(bytes);
  std::array<unsigned, 2> constants{};
  unsigned argument = 0;
  for (Py_ssize_t i = 0; i + 1 < size; i += 2) {
    argument = argument << 8 | unit[i + 1];
    if (unit[i] == EXTENDED_ARG) continue;
    if (unit[i] == LOAD_CONST) constants = {constants[1], argument};
    if (unit[i] == IMPORT_NAME) {
      PyObject* level = PyTuple_GetItem(code->co_consts, constants[0]);
      const bool absolute =
          level != nullptr && PyLong_CheckExact(level) && PyLong_AsLong(level) == 0;
      const std::string problem =
          absolute ? import_refusal(text_view(PyTuple_GetItem(code->co_names, argument))) : "";
      if (!problem.empty()) {
        Py_DECREF(bytes);
        raise_refusal(problem, PyCode_Addr2Line(code, static_cast<int>(i)));
      }
    }
    argument = 0;
  }
  Py_DECREF(bytes);
}

}  // namespace

std::string import_refusal(std::string_view name) {
  if (profile == nullptr) return {};
  if (profile->allow_only) {
    const std::string_view top = name.substr(0, name.find('.'));
    return contains(profile->modules, top) || top == "__future__" ? "" : not_allowed(top);
  }
  return banned_prefix(name, [](std::string_view prefix) {
    return contains(profile->modules, prefix) || contains(profile->attributes, prefix);
  });
}

std::string attribute_refusal(std::string_view name) {
  if (profile == nullptr) return {};
  return banned_prefix(
      name, [](std::string_view prefix) { return contains(profile->attributes, prefix); });
}

void check_imports(PyObject* code) {
  std::vector<PyCodeObject*> pending = {reinterpret_cast<PyCodeObject*>(code)};
  while (!pending.empty()) {
    PyCodeObject* next = pending.back();
    pending.pop_back();
    check_imports_of(next);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(next->co_consts); ++i) {
      PyObject* constant = PyTuple_GET_ITEM(next->co_consts, i);
      if (PyCode_Check(constant)) pending.push_back(reinterpret_cast<PyCodeObject*>(constant));
    }
  }
}

void set_import_profile(const Profile* chosen) {
  profile = chosen;
  // There are ways to random that no import shows, and what the parent drew is entropy.
  if (chosen != nullptr && stands_still(*chosen)) seed_random();
}

bool install_import_guard(PyObject* refused, PyObject* mend_asyncio) {
  refused_type = refused;
  after_asyncio = mend_asyncio;
  keep_random();
  name_key = PyUnicode_InternFromString("__name__");
  PyObject* guard = PyCFunction_New(&import_method, nullptr);
  PyObject* module_guard = PyCFunction_New(&import_module_method, nullptr);
  PyObject* importlib = PyImport_ImportModule("importlib");
  if (guard == nullptr || module_guard == nullptr || importlib == nullptr) return false;
  real_import_module = PyObject_GetAttrString(importlib, "import_module");
  return real_import_module != nullptr &&
         PyObject_SetAttrString(importlib, "import_module", module_guard) == 0 &&
         PyDict_SetItemString(PyEval_GetBuiltins(), "__import__", guard) == 0;
}

PyObject* refusal_functions() {
  PyObject* functions = PyDict_New();
  for (PyMethodDef& method : refusal_methods) {
    PyObject* function = PyCFunction_New(&method, nullptr);
    if (functions == nullptr || function == nullptr ||
        PyDict_SetItemString(functions, method.ml_name, function) != 0) {
      return nullptr;
    }
    Py_DECREF(function);
  }
  return functions;
}

}  // namespace redqueen::sandbox::worker
