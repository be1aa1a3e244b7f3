// An environment that is written in Python and runs in this process, behind the same seam as the
// native ones: suites, curricula, batches and episodes take it like any other.
//
// Its code is the user's own and trusted; what a policy wrote belongs into the sandbox
// (synth/python_environment.h). Every call into it takes the GIL. An exception of that code leaves
// through the engine as nanobind::python_error, which is safe here because every caller is a
// function of this module, and arrives as it was raised.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "redqueen/core/environment.h"

namespace redqueen::python {

// `object` is a redqueen.Environment, whose help says what its methods give and take.
std::shared_ptr<const Environment> own_environment(nanobind::object object);

}  // namespace redqueen::python
