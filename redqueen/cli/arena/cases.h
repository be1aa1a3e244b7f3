// `redqueen arena cases`, and the environments that a suite names.
#pragma once

#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/cli/command.h"

namespace redqueen {

// "core16", or names separated by commas, as Gymnasium's ids. A usage error: a name that cannot be
// a
// folder's.
Expected<std::vector<std::string>> environments_of_suite(const std::string& suite);

void add_arena_cases(Command arena);

}  // namespace redqueen
