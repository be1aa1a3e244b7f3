// The corpus that teaches an embedded policy the six roles of Absolute Zero: random programs, in
// the words of the prompts that self-play will use.
#pragma once

#include <cstdint>
#include <vector>

#include "redqueen/code_tasks/program_generator.h"
#include "redqueen/code_tasks/prompts.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/text/text_pair.h"

namespace redqueen::code_tasks {

struct ProgramCorpusOptions {
  std::vector<int> levels{0, 1, 2};
  int problems = 500;       // programs per level
  std::uint64_t first = 0;  // index of the first: corpora of disjoint ranges share no address
  int references = 6;       // tasks that a proposer sees, at most
  int inputs = 10;          // of an induction task
  int deductions = 4;       // tasks to solve per program
  int abductions = 2;
  int proposal_every = 2;  // programs, of deduction and of abduction
  int inputs_every = 3;    // programs, of induction: long and mostly arbitrary, so a few do
};

// A prompt and the completion to learn for it.
struct SupervisedExample {
  bool proposer = false;  // else the solver's
  CodeTask task;          // that the completion proposes or solves
  TextPair pair;
};

// Makes, for every program, `deductions` and `abductions` tasks and an induction task, each solved,
// and for one program in so many a proposal. A proposer sees tasks of other programs of the same
// level and is taught to write its own; sometimes it sees the zero task alone, as at the start of
// self-play. All programs are of ProgramSplit::kTraining. The same examples for the same arguments.
std::vector<SupervisedExample> program_corpus(sandbox::Sandbox& sandbox, const PromptSet& prompts,
                                              const PromptFormat& format,
                                              const ProgramCorpusOptions& options);

// The tasks of a program: `example` is an index into its examples.
CodeTask deduction_task(const RandomProgram& program, std::size_t example);
CodeTask abduction_task(const RandomProgram& program, std::size_t example);
// Makes the task of a program that ProgramOptions::failing drew.
CodeTask error_task(const RandomProgram& program, std::size_t example);
// Makes a task of the first `inputs` examples, at least two.
CodeTask induction_task(const RandomProgram& program, std::size_t inputs);

}  // namespace redqueen::code_tasks
