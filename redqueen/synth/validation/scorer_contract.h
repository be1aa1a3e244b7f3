// Layer 5, first part: finds out whether the scorer keeps its contract, from the tables that
// harness/probes.py makes.
//
// Many tasks have several right answers, so one wrong-looking answer that passes proves nothing: a
// kind of answer is held against a scorer when it passes on a share of the problems (stated at each
// rule below). An answer that no thought goes into (empty, malformed, of another type) counts only
// where it passes for problems with different references: "[]" may be right where nothing is to be
// listed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/synth/validation/validation.h"
#include "redqueen/synth/validation/variation.h"

namespace redqueen::synth {

struct ProbeRow {
  std::string group;
  std::string kind;
  std::string text;
  std::optional<double> score;  // none: malformed, or it could not be scored
  bool solved = false;
  bool same = false;  // was read as equal to the reference
  std::string fault;
  bool not_finite = false;  // the score was NaN or infinite
};

// The probes of one problem and their rewards.
struct ProbeTable {
  std::string prompt;
  std::string value;               // of the reference: equal exactly for equal references
  std::vector<std::string> texts;  // of the reference, in several forms
  std::string masked_prompt;       // after the stored reference was replaced by something else
  std::vector<std::string> masked_texts;  // of that something, in the same forms
  std::vector<ProbeRow> rows;
};

// Reads the JSON of the sandbox; `prompts` are those of the probed problems, in order.
Expected<std::vector<ProbeTable>> read_probe_tables(const Json& json,
                                                    std::span<const SampleProblem> problems);

// The first fault that the evidence proves.
//   kReferenceRejected      a reference is not accepted, or not when asked again
//   kParserLeaksReference   an empty, malformed or ill-typed text is read as the reference, in half
//                           of the problems
//   kReferenceInPrompt      the prompt shows the stored reference and changes with it (half of the
//                           problems); or the same words stand directly around the answer in every
//                           prompt
//   kScoreNotFinite         any text scores NaN or infinity
//   kAcceptsEmpty           empty text, blanks, [] or {} earn more than 0.25, in a quarter: no
//                           moves may be a legal answer, worth a little
//   kAcceptsMalformed       text without an answer earns more than 0, in a quarter; the prompt
//                           itself is right, in half
//   kAcceptsWrongType       text of another type is right, in half
//   kAcceptsAnything        other problems' references are right in more than half of the cases, or
//                           most perturbations; or 0, 1 or -1 is right in nine of ten problems
//   kAcceptsNearMisses      one kind of wrong answer is right in nine of ten problems: a number
//                           both one higher and one lower (in a list, at every place that was
//                           tried), a far one, one with a fraction or without its sign, a text with
//                           a letter changed, a list with something foreign added
//   kAcceptsShotgun         a list of guesses with the answer among them is right, in half
//   kAcceptsData            the numbers of the prompt, copied, are right, in eight of ten
//   kAcceptsRepeats         where the statement has each thing count once: an answer that names one
//                           twice is right, and wrong without the repetition, in a quarter
//   kExactFloat             the reference, rounded as the statement asks or to six places, is
//                           wrong, in a quarter
//   kWrongAnswersRewarded   answers that are read but far off earn more than 0.25 on average
ValidationFinding check_scorer(std::span<const ProbeTable> tables);

}  // namespace redqueen::synth
