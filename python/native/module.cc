// The extension module redqueen._native: the engine's half without libtorch. What a user sees of it
// is arranged by redqueen/__init__.py.

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>

#include "python/native/bind.h"
#include "python/native/errors.h"
#include "python/native/house.h"
#include "python/native/text.h"

namespace {

namespace nb = nanobind;
using redqueen::ErrorKind;
using redqueen::python::House;
using redqueen::python::Raised;

PyObject* new_exception(nb::module_& module, const char* name, const char* text, nb::handle bases) {
  PyObject* type = PyErr_NewExceptionWithDoc(fmt::format("redqueen.{}", name).c_str(), text,
                                             bases.ptr(), nullptr);
  if (type == nullptr) throw nb::python_error();
  module.attr(name) = nb::handle(type);
  return type;
}

struct ErrorTypes {
  PyObject* failure = nullptr;
  PyObject* usage = nullptr;
};

// Lives as long as the process, as the types do.
ErrorTypes& error_types() {
  static ErrorTypes types;
  return types;
}

void add_errors(nb::module_& module) {
  ErrorTypes& types = error_types();
  types.failure = new_exception(module, "Error",
                                "What failed, in the engine's words: the request was sound, the "
                                "work was not done.",
                                PyExc_Exception);
  types.usage =
      new_exception(module, "UsageError", "A request that can never succeed as it is.",
                    nb::make_tuple(nb::handle(types.failure), nb::handle(PyExc_ValueError)));
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Raised& raised) {
      const ErrorTypes& known = error_types();
      // A message repeats what was given, of which not all need be UTF-8, nor end at a NUL.
      PyErr_SetObject(raised.error().kind == ErrorKind::kUsage ? known.usage : known.failure,
                      redqueen::python::text_object(raised.error().message).ptr());
    }
  });
}

}  // namespace

NB_MODULE(_native, module) {
  module.doc() = "The engine; use the package redqueen, which has its functions with defaults.";
  nb::set_leak_warnings(false);  // what stands on the House stays for ever
  add_errors(module);
  module.def("set_package_folder", &House::set_package_folder, nb::arg("folder"));
  module.def("after_fork", &House::forget);
  redqueen::python::bind_problems(module);
  redqueen::python::bind_batches(module);
  redqueen::python::bind_episodes(module);
  redqueen::python::bind_curriculum(module);
  redqueen::python::bind_sandbox(module);
  redqueen::python::bind_own_environments(module);
  redqueen::python::bind_synth(module);
}
