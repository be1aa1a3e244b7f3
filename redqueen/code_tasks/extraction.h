// Extracts programs, inputs, messages and answers from the text between a response's answer marks.
//
// Tolerant of what models write: fences with or without a language, text around them, headings over
// them, several blocks, no fence at all, a function of another name (it becomes f), a whole call
// where its arguments were asked for, assignments a line, labels. Text only: nothing is evaluated,
// and what comes out may still be no Python. All functions take any bytes and never throw.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "redqueen/code_tasks/reason.h"
#include "redqueen/code_tasks/task.h"

namespace redqueen::code_tasks {

// A program and an argument list for it.
struct ProgramAndInput {
  std::string imports;  // from blocks of their own, before the program
  std::string program;
  std::string input;
};

// Extracts a proposal of kDeduction, kAbduction or kError. The program is the longest block that
// defines f, else the longest that defines a function, of which the last, or the one that is called
// behind it, becomes f. The input is the last block marked as one, or a block without a language,
// or the last call at the end of the program, or an "input:" line, or a call in backquotes. Fails
// with kNoProgram or kNoInput.
tl::expected<ProgramAndInput, Reason> extract_program_and_input(std::string_view answer);

struct InputsAndMessage {
  std::vector<std::string> inputs;  // in their order; those of the second half stand there once
  std::string message;
};

// Extracts a proposal of kInduction: blocks of inputs (several a block if each line is one), and a
// message, which may stand in <message> tags, behind a label or in comments; or lines of calls.
// kTooFewInputs if there are fewer than `count` (of more, the first are taken) or so many repeat
// each other that none would be left to hide, kNoMessage.
tl::expected<InputsAndMessage, Reason> extract_inputs_and_message(std::string_view answer,
                                                                  int count);

struct ProgramText {
  std::string imports;
  std::string program;
};

// Extracts an answer to kInduction: the last block that defines f, else the last that defines a
// function, which becomes f. Fails with kNoProgram.
tl::expected<ProgramText, Reason> extract_program(std::string_view answer);

// Extracts an answer to kDeduction: the text of a value, out of a fence, backquotes or an "output:"
// label if need be. Fails with kNoAnswer if nothing is left.
tl::expected<std::string, Reason> extract_value(std::string_view answer);

// Extracts an answer to kAbduction: the text of an argument list, likewise. Fails with kNoInput.
tl::expected<std::string, Reason> extract_arguments(std::string_view answer);

// Extracts an answer to kError: the first name in it, less the modules before it. Fails with
// kNoAnswer.
tl::expected<std::string, Reason> extract_exception(std::string_view answer);

// The part of a whole response that answers a task of this type, where the prompt asked for blocks
// and not for marks: the last ```output (kDeduction, kError) or ```input (kAbduction) block, else
// what stands behind the last label, else the last block that is no program, else \boxed{}, else a
// response of one line. Of kInduction all of it. nullopt: nothing of the kind.
std::optional<std::string> unmarked_answer(TaskType type, std::string_view response);

}  // namespace redqueen::code_tasks
