// Random Python programs with inputs and outputs: what an embedded policy learns Absolute Zero's
// tasks from, and what it is held to.
//
// A program is one function `f` of one or two arguments, drawn from the tables of
// program_grammar.h. Level 0 returns one operation on one argument; level 1 nests operations and
// may have two arguments; level 2 adds a local variable and lists of words and pairs, 3 conditions
// and comprehensions, 4 loops and dictionaries; every level beyond adds a statement. A program
// always ends, and uses all its names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/rng.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::code_tasks {

inline constexpr int kMaxProgramLevel = 8;

// A program as it was drawn, before anything ran.
struct ProgramDraft {
  std::string source;
  std::string message;         // what it does, in a few words, without its constants
  std::string argument_types;  // one letter each, see program_grammar.h
  char return_type = 'I';
  std::vector<std::string> inputs;  // argument lists as Python text, all different
  std::uint64_t skeleton = 0;       // hash of the source up to the choice of names
};

// `level` in [0, kMaxProgramLevel]. Fewer inputs where the arguments do not have so many values.
// Returns nothing where the draw led nowhere: draw again.
std::optional<ProgramDraft> draft_program(int level, int inputs, Rng& rng);

// Programs are of two kinds, told apart by their skeletons, so that what is held out is not merely
// another draw of what was learnt: an eighth is held out, and never in a warm start.
enum class ProgramSplit { kTraining, kHeldOut };
ProgramSplit split_of(const ProgramDraft& draft);

struct ProgramExample {
  std::string input;  // an argument list
  std::string
      output;  // repr of the value, a literal; of failing programs the name of the exception
};

struct RandomProgram {
  std::string source;
  std::string message;
  std::vector<ProgramExample> examples;
};

// The address of a program: the same program for the same address and options, whatever else is
// drawn with it.
struct ProgramPlace {
  int level = 0;
  std::uint64_t seed = 0;
  std::uint64_t salt = 0;
};

struct ProgramOptions {
  ProgramSplit split = ProgramSplit::kTraining;
  int inputs = 10;                    // drawn for every program
  int examples = 4;                   // that must be left of them
  std::size_t max_output_bytes = 80;  // a longer output drops its input
  std::size_t max_source_bytes = 600;
  int attempts = 100;  // per place
  // Calls that fail instead: an argument of another type, or an empty one. A place wants a
  // TypeError, an AttributeError, or one of the others; each that the program raises of those is an
  // example, and one is enough.
  bool failing = false;
};

// Draws, runs and sifts: inputs that raise or give too much are dropped; a program is drawn anew if
// too few are left, if its output hardly depends on its input, or if it returns what it was given.
// Runs many programs side by side. Nothing at a place whose attempts are used up. Fails only if the
// sandbox does.
std::vector<std::optional<RandomProgram>> draw_programs(sandbox::Sandbox& sandbox,
                                                        std::span<const ProgramPlace> places,
                                                        const ProgramOptions& options);

}  // namespace redqueen::code_tasks
