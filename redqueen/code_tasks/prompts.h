// The prompts of the two roles, and the form in which responses are read.
//
// The wording lives in text files, one folder a set (configs/azr/prompts,
// configs/azr/prompts-terse, or the user's own). A file may hold these placeholders, and must hold
// those marked *:
//   propose_deduction, propose_abduction, propose_error   {{references}}* {{components}} {{banned}}
//   propose_induction                                     {{program}}* {{count}} {{banned}}
//   solve_deduction, solve_error                          {{program}}* {{input}}*
//   solve_abduction                                       {{program}}* {{output}}*
//   solve_induction                                       {{message}}* {{pairs}}*
//   reference   (a task shown to a proposer)              {{program}}* {{input}}* {{output}}
//   pair        (an example of an induction task)         {{input}}* {{output}}*
//   components  (programs to be composed; appendix D.2)   {{programs}}* {{names}}*
// A filled template is a statement: PromptFormat (core/prompt_format.h) says how to mark the
// answer.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/code_tasks/task.h"

namespace redqueen::code_tasks {

// The forms of responses. Extraction (extraction.h) reads both, whatever the set.
enum class ResponseStyle {
  kFenced,  // blocks of ```python, ```input, ```message
  // Python alone: the program, then the call `f(…)`; a message is a comment. For small policies
  kBare,
};

class PromptSet {
 public:
  // Every file NAME.txt of the list above must be there; the error names the file and what is wrong
  // with it. One line end at the end of a file does not count.
  static Expected<PromptSet> load(const std::filesystem::path& folder);

  // kBare if the template `reference` has no fence in it.
  [[nodiscard]] ResponseStyle style() const { return style_; }

  // For a proposer of kDeduction, kAbduction or kError: the references are tasks that it shall
  // differ from. `components` are programs, renamed to g_0, g_1, …, of which its program shall be
  // composed; usually none.
  [[nodiscard]] std::string propose(TaskType type, std::span<const CodeTask> references,
                                    std::span<const std::string> components = {}) const;

  // For a proposer of kInduction: `count` inputs for the program of a task, and a message.
  [[nodiscard]] std::string propose_induction(const CodeTask& program, int count) const;

  // For a solver of any type.
  [[nodiscard]] std::string solve(const CodeTask& task) const;

 private:
  static constexpr std::size_t kTemplates = 11;
  const std::string& text(std::string_view name) const;

  std::array<std::string, kTemplates> texts_;
  ResponseStyle style_ = ResponseStyle::kFenced;
};

// Writes what a proposer of this task would have put between its answer marks: program and input,
// or message and inputs.
std::string format_proposal(const CodeTask& task, ResponseStyle style);

// Writes what a solver puts between its answer marks: `answer` is the output's text, the argument
// list, the program or the exception's name. Only programs are fenced.
std::string format_solution(TaskType type, std::string_view answer, ResponseStyle style);

// The sentence that asks a solver for its answer in a block, where the prompt asks for no other
// mark; empty where the templates ask for one (kInduction).
std::string_view block_request(TaskType type);

// "g_0", "g_1", …: the names under which a proposer sees the programs that it shall compose.
std::string component_name(std::size_t index);

}  // namespace redqueen::code_tasks
