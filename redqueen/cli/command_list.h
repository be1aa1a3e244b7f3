// The sub-commands of redqueen, in the order of the help. Both main() and the launcher read this
// list; each command adds itself to the command line by add_NAME(), in NAME.cc or NAME/NAME.cc.
#pragma once

// COMMAND(NAME, PROGRAM). PROGRAM: `light`, the program without libtorch, for commands that make no
// policy and say nothing of libtorch; `whole` for all others.
#define REDQUEEN_COMMANDS(COMMAND) \
  COMMAND(train, whole)            \
  COMMAND(eval, whole)             \
  COMMAND(genenv, light)           \
  COMMAND(gym, light)              \
  COMMAND(data, light)             \
  COMMAND(grader, light)           \
  COMMAND(policy, whole)           \
  COMMAND(report, light)           \
  COMMAND(arena, whole)            \
  COMMAND(watch, light)            \
  COMMAND(export, light)           \
  COMMAND(azr, light)              \
  COMMAND(compare, whole)          \
  COMMAND(sandbox, light)          \
  COMMAND(serve, whole)            \
  COMMAND(synth, whole)            \
  COMMAND(bench, whole)            \
  COMMAND(config, light)           \
  COMMAND(doctor, whole)
