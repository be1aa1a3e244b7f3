// The sub-commands of redqueen. Each lives in the file of its name and adds itself to the command
// line.
#pragma once

#include "redqueen/cli/command.h"

namespace redqueen {

void add_arena(Command app);
void add_azr(Command app);
void add_bench(Command app);
void add_compare(Command app);
void add_config(Command app);
void add_doctor(Command app);
void add_eval(Command app);
void add_export(Command app);
void add_genenv(Command app);
void add_gym(Command app);
void add_gym_audit(Command gym);
void add_gym_gallery(Command gym);
void add_gym_play(Command gym);
void add_policy(Command app);
void add_report(Command app);
void add_sandbox(Command app);
void add_serve(Command app);
void add_synth(Command app);
void add_synth_grow(Command synth);
void add_synth_pool(Command synth);
void add_train(Command app);
void add_watch(Command app);

}  // namespace redqueen
