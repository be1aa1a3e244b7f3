// Layers 1 to 5 test whether a Python environment keeps its promises, as far as running it can
// tell.
//
// EvoEnv, section 3.2 and Table 4. L1 source, L2 it runs, L3 equal seeds make equal problems, L4
// problems vary, L5 the scorer's contract. The first layer that fails ends it. docs/synth.md lists
// every fault and the rules of evidence.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/json.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::synth {

// The fault for which a candidate is refused. name_of() is stable text, for stores and cards.
enum class ValidationFault : std::uint8_t {
  kNone,
  // L1
  kNoCode,
  kTooLong,
  kSyntax,
  kForbiddenImport,
  kForbiddenName,
  kNoClass,
  kSeveralClasses,
  kRedefinesBase,
  kMissingMethod,
  kBadSignature,
  // L2
  kRaises,
  kTimeout,
  kMemory,
  kTooMuchOutput,
  kCrashed,
  kRefused,
  kPromptNotText,
  kPromptTooLong,
  kState,
  kStateTooLarge,
  kNoReference,
  kReferenceNotFinite,
  kScoreNotNumber,
  kScoreNotFinite,
  kControlCharacters,
  // L3
  kUnseededRandomness,
  kHashSeedDependent,
  kOrderDependent,
  kSharedState,
  kStateOutsideInstance,
  kScoreUnstable,
  // L4
  kPromptsConstant,
  kAnswersConstant,
  kDifficultyIgnored,
  // L5
  kReferenceRejected,
  kParserLeaksReference,
  kReferenceInPrompt,
  kAcceptsEmpty,
  kAcceptsMalformed,
  kAcceptsWrongType,
  kAcceptsAnything,
  kAcceptsNearMisses,
  kAcceptsShotgun,
  kAcceptsData,
  kWrongAnswersRewarded,
  kAcceptsRepeats,
  kExactFloat,
  kNumberNotInCode,
  kNumberNotInPrompt,
  kBoundDiffers,
  kWordingDiffers,
  kUnknownWord,
  kHiddenParameter,  // the last
};
std::string_view name_of(ValidationFault fault);

struct ValidationOptions {
  std::uint64_t salt = 0;     // of the seeds that are tried; 0 tries the seeds 0 and 1 among them
  double layer_seconds = 30;  // of each process of a layer
  std::vector<int> levels{0, 1, 2, 3, 5, 8};
  int seeds_per_level = 3;   // L2 and L3
  int variation_seeds = 8;   // L4, at each level; three times as many at the lowest and the highest
  int probed_per_level = 2;  // L5
  bool strict_words = false;  // L5: the first remark on the statement's words refuses the candidate
  double largest_majority = 0.9;          // L4: of one answer among all
  std::size_t longest_source = 64 << 10;  // characters
  std::size_t longest_prompt = 32 << 10;  // bytes: some 8k tokens
  std::size_t largest_state = 1 << 20;    // bytes of JSON
  std::uint64_t memory_bytes = 512ULL << 20;
};

// A problem that validation made.
struct SampleProblem {
  int level = 0;
  std::uint64_t seed = 0;
  std::string prompt;
  std::string reference;  // as text
  double score = 0;       // of that text
  Json state;             // hidden
};

// One answer that L5 tried.
struct ProbeResult {
  int problem = 0;  // index among the probed problems
  // reference, perturbed, foreign, empty, malformed, type, prompt, data, fraction, huge, shotgun,
  // object
  std::string group;
  std::string kind;  // plus_one, dropped, …
  std::string text;  // at most 80 characters of it
  bool parsed = false;
  double score = 0;  // where parsed
  bool solved = false;
  std::string fault;  // what was raised
};

struct ValidationReport {
  int layer = 0;  // the highest that was passed, 0 … 5
  ValidationFault fault = ValidationFault::kNone;
  std::string sentence;             // what is wrong, and where; empty if nothing is
  int line = 0;                     // of the source; 0: nowhere in particular
  std::array<double, 5> seconds{};  // wall clock of each layer that ran
  std::string class_name;
  std::string prompt_template;         // as it stands in the class; empty if there is none
  std::vector<SampleProblem> samples;  // of L2, from the lowest level to the highest
  std::vector<SampleProblem> probed;   // of L5
  std::vector<ProbeResult> probes;     // of L5
  // Of L5, in whole sentences: doubts about the statement that running the code does not settle.
  // They are for whoever reviews the candidate; a sound one may have some.
  std::vector<std::string> remarks;

  [[nodiscard]] bool sound() const { return layer == 5; }
  // "L2 timeout", or "sound".
  [[nodiscard]] std::string code() const;
};

// The evidence of a report as JSON: {"layer", "fault", "sentence", "line", "seconds", "class_name",
// "samples", "probes", "remarks"}. Samples are cut to one a level, probes to counts per kind.
Json to_json(const ValidationReport& report);

// Returns reports in the order of the sources. Every layer runs for all candidates that are still
// standing at once.
std::vector<ValidationReport> validate(sandbox::Sandbox& sandbox,
                                       std::span<const std::string> sources,
                                       const ValidationOptions& options = {});
ValidationReport validate(sandbox::Sandbox& sandbox, const std::string& source,
                          const ValidationOptions& options = {});

}  // namespace redqueen::synth
