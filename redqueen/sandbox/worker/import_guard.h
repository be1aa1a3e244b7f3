// Checks a program's imports when it imports and, where it is cheap, before it runs. A courtesy
// with clear messages: containment does not rest on it.
#pragma once

#include <Python.h>

#include <string>

#include "redqueen/sandbox/config.h"

namespace redqueen::sandbox::worker {

// Puts the guard in the place of builtins.__import__ and importlib.import_module. Once, in the warm
// parent: a child that did so would have to copy the pages that this writes. `refused`: the
// exception to raise. `mend_asyncio`: called when a program has imported asyncio. False: a Python
// error is set.
bool install_import_guard(PyObject* refused, PyObject* mend_asyncio);

// From here on, imports by __main__ are held against `profile`, which must outlive the program.
// Null: everything goes.
void set_import_profile(const Profile* profile);

// The reason why `name` (dotted) is outside the profile; empty: it is not.
std::string import_refusal(std::string_view name);

// The reason why a dotted name must not be spelled out; empty: it may.
std::string attribute_refusal(std::string_view name);

// For a profile that lists what is allowed: finds imports in compiled code and in all that it
// contains. Throws PythonError with the exception set, its attribute `line` the line of the import.
void check_imports(PyObject* code);

// The two refusals as functions of Python, for the runtime; null: a Python error is set.
PyObject* refusal_functions();

}  // namespace redqueen::sandbox::worker
