// Two authors, one statement: programs that were written from the rendered problems alone answer
// further problems of a candidate, and their answers are held against its reference through its own
// scorer. Where independent programs agree with each other against the reference, the reference
// does not compute what the statement asks for. The opinion gates admission and is no part of any
// reward.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/core/problem.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/policy/missing_responses.h"
#include "redqueen/policy/policy.h"
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/synth/admission/prompt_template.h"

namespace redqueen::synth {

struct SecondAuthorSettings {
  int programs = 3;                  // k, of one candidate
  int shown = 4;                     // problems that their author reads
  int instances = 30;                // problems on which they are run
  std::vector<int> levels{0, 1, 2};  // of both, in turn
  double temperature = 0.8;
  int max_new_tokens = 4096;
  double call_seconds = 2;  // limit of one answer of a program
};

// A problem of a candidate, and its reference.
struct SecondInstance {
  int level = 0;
  std::string prompt;
  std::string reference;
};

// A program and its answers to the instances; those that it did not give are nothing.
struct SecondProgram {
  std::string source;                               // empty: the response had none
  std::vector<std::optional<std::string>> answers;  // in the order of the instances
  std::vector<bool> right;                          // by the candidate's scorer; likewise

  int answered() const;
  int rights() const;
};

enum class SecondVerdict {
  kSilent,     // no program speaks, or one alone speaks against the reference
  kConfirmed,  // programs agree with the reference, and none speaks against it
  kAmbiguous,  // programs disagree with each other: the statement can be read in several ways
  kRefuted,    // independent programs agree with each other against the reference
};

// "silent", "confirmed", "ambiguous", "refuted".
std::string_view to_string(SecondVerdict verdict);

struct SecondOpinion {
  SecondVerdict verdict = SecondVerdict::kSilent;
  int programs = 0;   // that were asked for
  int speaking = 0;   // independent programs that count
  int agreeing = 0;   // of these, with the reference on every problem that they answered
  int against = 0;    // of these, that agree with each other against the reference
  int instances = 0;  // problems on which they were run
  int opposed = 0;  // problems to which those against it give one answer, which the scorer refuses
  int lost = 0;     // responses that failed
  bool several_answers = false;           // different answers to one problem were right
  std::optional<SecondInstance> example;  // of the opposed ones, the shortest
  std::string answer;                     // to it
  std::vector<std::string> silences;      // why a program counts for nothing
  std::vector<std::string> sources;       // of the programs, for people

  // Of a refutation: which problem, the reference, and what the programs answer.
  std::string sentence() const;
  Json to_json() const;
};

// The program's tokens without comments and layout, its names numbered in the order in which they
// come: programs of one shape are one voice, however their names differ.
std::string program_shape(std::string_view source);

// Weighs the programs of one candidate. A program speaks if it answers half of the instances or
// more, gives at least two different answers, does not repeat the number that stands at one place
// of every prompt, and has a shape of its own. Two that speak agree if nine in ten of their answers
// to what both answer are the same text, and this is half of the instances or more.
//
// The reference is refuted by programs that agree pairwise and whose common answers the scorer
// refuses for two instances or more, as long as no program that speaks agrees with the reference
// throughout. These answers differ among themselves, or the one that they are was right more often
// elsewhere: one fallback is no answer. Two programs are enough where one in ten of their
// answers is right, which shows that they read the problem; three where it is not. So an author
// that is always wrong in one way does not sink what is sound unless it is wrong in three ways of
// writing and never right.
SecondOpinion weigh_programs(std::span<const SecondInstance> instances,
                             std::span<const SecondProgram> programs);

// Runs the sources in the sandbox: solve(prompt) for every problem, within `call_seconds` each. A
// program that answers none of the first four problems is not asked further. Answers are scored by
// the problems themselves, which are of any environments.
std::vector<SecondProgram> run_second_programs(sandbox::Sandbox& sandbox,
                                               std::span<const std::string> sources,
                                               std::span<const ProblemPtr> problems,
                                               double call_seconds);

// `prompt` has the one place {{problems}} (configs/evoenv/prompts/second_author.txt).
Expected<std::string> second_author_prompt(const PromptTemplate& prompt,
                                           std::span<const std::string> problems);

// The candidates that are asked about, and the second author.
struct SecondAuthorRequest {
  std::span<const std::string> sources;  // of candidates
  std::span<const std::size_t> places;   // of these in their batch, for addresses
  const PromptTemplate& prompt;
  const PromptFormat& format;  // of prompts
  const SecondAuthorSettings& settings;
  RandomAddress address;  // its index and salt are used
};

// Asks `author` for settings.programs programs for each candidate, in one call, and weighs them. A
// candidate of which no problem can be made gets a silent opinion.
Expected<std::vector<SecondOpinion>> ask_second_author(sandbox::Sandbox& sandbox, Policy& author,
                                                       const SecondAuthorRequest& request,
                                                       MissingResponses* missing = nullptr);

}  // namespace redqueen::synth
