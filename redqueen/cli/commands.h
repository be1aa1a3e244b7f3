// The sub-commands of redqueen. Each lives in the file of its name, or in the folder of its name if
// it has parts, and adds itself to the command line.
#pragma once

#include "redqueen/cli/command.h"
#include "redqueen/cli/command_list.h"

namespace redqueen {

#define REDQUEEN_DECLARE_COMMAND(name, program) void add_##name(Command app);
REDQUEEN_COMMANDS(REDQUEEN_DECLARE_COMMAND)
#undef REDQUEEN_DECLARE_COMMAND

// Parts of commands, in files of their own.
void add_gym_audit(Command gym);
void add_gym_gallery(Command gym);
void add_gym_play(Command gym);
void add_synth_grow(Command synth);
void add_synth_pool(Command synth);

}  // namespace redqueen
