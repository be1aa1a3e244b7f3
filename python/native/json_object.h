// JSON values of the engine as Python objects, and back.
#pragma once

#include <nanobind/nanobind.h>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::python {

// JSON values and texts, in the signatures that the stub is made of. A TextHandle is any object
// whatever: Text says what is wrong with one that is no string.
using AnyValue = nanobind::typed<nanobind::object, nanobind::any>;
using AnyDict = nanobind::typed<nanobind::object,
                                nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>>;
using AnyDicts = nanobind::typed<
    nanobind::object,
    nanobind::typed<nanobind::list, nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>>>;
using TextHandle = nanobind::typed<nanobind::handle, nanobind::str>;

// dict, list, str, int of any size, float, bool, None.
nanobind::object to_python(const Json& json);

// Tuples become lists. A usage error names the place of what JSON has no form for (a set, a key
// that is no string, NaN), and refuses what is nested deeper than kMaxJsonDepth.
Expected<Json> from_python(nanobind::handle object);

}  // namespace redqueen::python
