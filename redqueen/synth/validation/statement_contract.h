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
  // kNumberNotInCode, kBoundDiffers or kWordingDiffers: words that the code seems to contradict. They
  // prove nothing, as the same task can be written in too many ways.
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

// Returns the findings that changed inputs prove; {"draws", "numbers", "stored", "reordered",
// "problems"} of the sandbox.
//   kNumberNotInPrompt  changing a suspect by one moves the answers of half of the problems and
//                       leaves their prompts
//   kHiddenParameter    the same of a random draw, in two problems; or of an integer on self that
//                       is the same for all seeds of a level, and that no prompt shows or counts
// An answer has moved only if the old problem's scorer refuses the new one.
ValidationFinding check_inputs(const Json& evidence, const StatementReading& reading);

// Returns a remark, or nothing, on answers that move with the order of a prompt's lines and are then
// wrong for the old order, in two problems. Where the order of edges or items means nothing, answers
// are not unique; where it does (lines of a program), all is well: so it proves no fault.
std::optional<std::string> remark_on_order(const Json& evidence);

// kReferenceInPrompt: in all problems the answer, an integer, is the same affine function a·x + b
// of the number at one place of the prompt, counted from its beginning or its end, although
// several numbers of the prompts vary. Asks for 20 problems with 5 different answers.
ValidationFinding check_affine_leak(std::span<const ProblemSample> samples);

}  // namespace redqueen::synth
