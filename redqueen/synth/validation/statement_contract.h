// Layer 5, second part: finds out whether the statement says what the code does, from what
// harness/statement.py reads in the source and harness/inputs.py finds by changing inputs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/synth/validation/validation.h"
#include "redqueen/synth/validation/variation.h"

namespace redqueen::synth {

// The findings from reading words and code side by side.
struct StatementReading {
  // kNumberNotInCode, kBoundDiffers or kWordingDiffers: words that the code seems to contradict.
  // They prove nothing, as the same task can be written in too many ways.
  std::vector<ValidationFinding> remarks;
  // Operands of the code that no word accounts for: [begin, end, value, line] each, the first two
  // in bytes of the source.
  Json suspects = Json::array();
  std::optional<int> decimals;         // to which the statement has answers rounded
  bool once = false;                   // it says that nothing may be named twice
  std::vector<std::string> sentences;  // of the statement, {} where a value stands (spelling.h)
  std::vector<std::string> names;      // words of the code's names, in lower case
};

// Reads the JSON of the sandbox. Fails for JSON of another form.
Expected<StatementReading> read_statement(const Json& json);

// The findings from changing one input at a time and making the problems again.
struct InputFindings {
  // kHiddenParameter: a changed random draw, in two problems, or a changed integer on self that is
  // the same for all seeds of a level, differs between levels, and that no prompt shows or counts,
  // moves answers and leaves prompts. Nobody can know such a value.
  ValidationFinding proof;
  // Where the statement may well do without:
  //   kNumberNotInPrompt  changing a suspect by one moves the answers of half of the problems and
  //                       leaves their prompts. The reader may know it: "in degrees Fahrenheit"
  //   kHiddenParameter    the same of an integer on self that is always the same
  //   kNone               in two problems the same lines of the prompt in another order have
  //                       another answer. Where the order of edges or items means nothing, answers
  //                       are not unique; lines of a program may well have an order
  std::vector<ValidationFinding> remarks;
};

// Reads {"draws", "numbers", "stored", "reordered", "problems"} of the sandbox. An answer has moved
// only if the old problem's scorer refuses the new one.
InputFindings check_inputs(const Json& evidence, const StatementReading& reading);

// kReferenceInPrompt: in all problems the answer, an integer, is the same affine function a·x + b
// of the number at one place of the prompt, counted from its beginning or its end, although
// several numbers of the prompts vary. Asks for 20 problems with 5 different answers.
ValidationFinding check_affine_leak(std::span<const ProblemSample> samples);

}  // namespace redqueen::synth
