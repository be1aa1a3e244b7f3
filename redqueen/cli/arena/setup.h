// `redqueen arena setup`.
#pragma once

#include "redqueen/cli/command.h"

namespace redqueen {

void add_arena_setup(Command arena);

}  // namespace redqueen
