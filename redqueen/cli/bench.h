// The sub-commands of `redqueen bench`, a file each.
#pragma once

#include "redqueen/cli/commands.h"

namespace redqueen {

void add_bench_azr(CLI::App& bench, Action& action);
void add_bench_gym(CLI::App& bench, Action& action);
void add_bench_sandbox(CLI::App& bench, Action& action);
void add_bench_train(CLI::App& bench, Action& action);

}  // namespace redqueen
