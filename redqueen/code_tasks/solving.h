// Decides whether answers solve their tasks (section 3.3.4 of the paper), many at once, all in the
// sandbox.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/code_tasks/reason.h"
#include "redqueen/code_tasks/task.h"
#include "redqueen/code_tasks/validation.h"
#include "redqueen/core/verdict.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::code_tasks {

// Rules that grade an induction answer by the hidden pairs that it gets right.
enum class InductionGrading : std::uint8_t {
  kAll,       // 1 if all of them, else 0
  kFraction,  // their share
  kAny,       // 1 if one of them, else 0
};

// Runs of a task's program with an answer of abduction, which must agree.
inline constexpr int kRunsOfAnAnswer = 2;

struct SolvingOptions {
  sandbox::Limits limits = default_program_limits();
  bool strict_types = false;  // True, 1 and 1.0 differ; the paper has them equal
  InductionGrading grading = InductionGrading::kAll;
  std::size_t max_answer_bytes = 1 << 16;
};

// The text between the answer marks of a response to a task.
struct AnswerCheck {
  const CodeTask* task = nullptr;
  std::string_view answer;
};

struct AnswerVerdict {
  Reason reason = Reason::kNoAnswer;  // kValid: solved, at least in part
  double grade = 0;                   // in [0, 1]: r_solve of the paper, 1 if solved
  bool solved = false;
  bool well_formed =
      false;  // a literal, an argument list of literals, a program that parses, a name

  // The grade wrapped by form (equation 6): the grade if positive, −0.5 if well-formed, else −1.
  [[nodiscard]] Verdict verdict() const;
};

// Returns verdicts in the order of the checks. Deduction: the answer is a literal equal to the
// output. Abduction: the task's program, called with the answer, gives the output, in two runs with
// other hash seeds; if these differ, so that the program is no function of its input, the verdict's
// reason is kNotDeterministic, and whoever set the task knows that it is none. Induction: the
// answer's program, in a child for itself, gives the outputs of the hidden pairs. Error: the answer
// names the exception. Equality is Python's, and NaN equals NaN. A pair of equal checks is done
// once.
std::vector<AnswerVerdict> check_answers(sandbox::Sandbox& sandbox,
                                         std::span<const AnswerCheck> checks,
                                         const SolvingOptions& options = {});

// Fails unless the program of a task does what the task says of it: raises the exception of kError,
// gives the output for the input, or all pairs. Equality is that of check_answers. Tasks from
// outside are held to it, since their outputs decide verdicts. It runs the program once.
Status check_task(sandbox::Sandbox& sandbox, const CodeTask& task,
                  const SolvingOptions& options = {});

}  // namespace redqueen::code_tasks
