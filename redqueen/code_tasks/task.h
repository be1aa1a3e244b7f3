// A task of the Absolute Zero Reasoner (Zhao et al., 2025, section 3.2) as a value: a program and
// what is asked of it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::code_tasks {

// The modes of reasoning. All of them are about a program whose entry point is `f`.
enum class TaskType {
  kDeduction,  // program and input are shown, the output is asked
  kAbduction,  // program and output are shown, an input that gives it is asked
  kInduction,  // a message and half of the pairs are shown, a program is asked
  // program and input are shown, the type of the exception is asked (appendix D.1; an option)
  kError,
};
inline constexpr std::array kTaskTypes{TaskType::kDeduction, TaskType::kAbduction,
                                       TaskType::kInduction, TaskType::kError};

// "deduction", "abduction", "induction", "error".
std::string_view name_of(TaskType type);
Expected<TaskType> parse_task_type(std::string_view name);

// One call of a program. `input` is a Python argument list ("1, [2], key='x'"). `output` is the
// value as repr() writes it (Outcome::value) where that text is a literal that reads back to the
// same value, else its canonical form (Outcome::canonical). It is what a solver sees and what its
// answer is compared with.
struct InputOutput {
  std::string input;
  std::string output;
  bool operator==(const InputOutput&) const = default;
};

struct CodeTask {
  TaskType type = TaskType::kDeduction;
  std::string imports;             // lines that stand before the program; empty: none
  std::string program;             // defines f
  std::string input;               // but for induction
  std::string output;              // but for induction; of kError the name of the exception's type
  std::string message;             // of induction
  std::vector<InputOutput> pairs;  // of induction: the first half is shown, the second hidden
  int components = 0;  // earlier programs that the program is composed of (appendix D.2)

  bool operator==(const CodeTask&) const = default;

  // Returns the whole program text: the imports, then the program.
  [[nodiscard]] std::string source() const;

  // 16 hex digits of the content. Equal tasks have equal names.
  [[nodiscard]] std::string name() const;

  // The task's pairs that a solver sees, and those that it does not see; kInduction only.
  [[nodiscard]] std::span<const InputOutput> shown_pairs() const;
  [[nodiscard]] std::span<const InputOutput> hidden_pairs() const;

  // The text of an answer that solves it; of induction the program itself.
  [[nodiscard]] std::string reference() const;

  // {"type", "program", "input", "output"} or {"type", "program", "message", "pairs": [[input,
  // output], …]}, and "imports" and "components" where there are any. Reading fails on a missing
  // key, and on an induction task of fewer than two pairs.
  [[nodiscard]] Json write_json() const;
  static Expected<CodeTask> read_json(const Json& json);
};

// The task that a proposer is shown while its buffer is empty: the identity function on a greeting
// (figure 5 of the paper has the idea); of kError the first element of nothing. Not for kInduction.
CodeTask zero_task(TaskType type);

}  // namespace redqueen::code_tasks
