// Reports of validation as text and JSON.
#include <map>

#include "redqueen/synth/validation/validation.h"

namespace redqueen::synth {

std::string_view name_of(ValidationFault fault) {
  using enum ValidationFault;
  switch (fault) {
    case kNone:
      return "none";
    case kNoCode:
      return "no_code";
    case kTooLong:
      return "too_long";
    case kSyntax:
      return "syntax";
    case kForbiddenImport:
      return "forbidden_import";
    case kForbiddenName:
      return "forbidden_name";
    case kNoClass:
      return "no_class";
    case kSeveralClasses:
      return "several_classes";
    case kRedefinesBase:
      return "redefines_base";
    case kMissingMethod:
      return "missing_method";
    case kBadSignature:
      return "bad_signature";
    case kRaises:
      return "raises";
    case kTimeout:
      return "timeout";
    case kMemory:
      return "memory";
    case kTooMuchOutput:
      return "too_much_output";
    case kCrashed:
      return "crashed";
    case kRefused:
      return "refused";
    case kPromptNotText:
      return "prompt_not_text";
    case kPromptTooLong:
      return "prompt_too_long";
    case kState:
      return "state";
    case kStateTooLarge:
      return "state_too_large";
    case kNoReference:
      return "no_reference";
    case kReferenceNotFinite:
      return "reference_not_finite";
    case kScoreNotNumber:
      return "score_not_number";
    case kScoreNotFinite:
      return "score_not_finite";
    case kControlCharacters:
      return "control_characters";
    case kUnseededRandomness:
      return "unseeded_randomness";
    case kHashSeedDependent:
      return "hash_seed_dependent";
    case kOrderDependent:
      return "order_dependent";
    case kSharedState:
      return "shared_state";
    case kStateOutsideInstance:
      return "state_outside_instance";
    case kScoreUnstable:
      return "score_unstable";
    case kPromptsConstant:
      return "prompts_constant";
    case kAnswersConstant:
      return "answers_constant";
    case kDifficultyIgnored:
      return "difficulty_ignored";
    case kReferenceRejected:
      return "reference_rejected";
    case kParserLeaksReference:
      return "parser_leaks_reference";
    case kReferenceInPrompt:
      return "reference_in_prompt";
    case kAcceptsEmpty:
      return "accepts_empty";
    case kAcceptsMalformed:
      return "accepts_malformed";
    case kAcceptsWrongType:
      return "accepts_wrong_type";
    case kAcceptsAnything:
      return "accepts_anything";
    case kAcceptsNearMisses:
      return "accepts_near_misses";
    case kAcceptsShotgun:
      return "accepts_shotgun";
    case kAcceptsData:
      return "accepts_data";
    case kWrongAnswersRewarded:
      return "wrong_answers_rewarded";
    case kAcceptsRepeats:
      return "accepts_repeats";
    case kExactFloat:
      return "exact_float";
    case kNumberNotInCode:
      return "number_not_in_code";
    case kNumberNotInPrompt:
      return "number_not_in_prompt";
    case kBoundDiffers:
      return "bound_differs";
    case kWordingDiffers:
      return "wording_differs";
    case kUnknownWord:
      return "unknown_word";
    case kHiddenParameter:
      return "hidden_parameter";
  }
  return "none";
}

std::string ValidationReport::code() const {
  if (sound()) return "sound";
  return fmt::format("L{} {}", layer + 1, name_of(fault));
}

namespace {

Json probe_counts(const ValidationReport& report) {
  struct Count {
    int tried = 0;
    int parsed = 0;
    int solved = 0;
  };
  std::map<std::pair<std::string, std::string>, Count> counts;
  for (const ProbeResult& probe : report.probes) {
    Count& count = counts[{probe.group, probe.kind}];
    ++count.tried;
    count.parsed += probe.parsed;
    count.solved += probe.solved;
  }
  Json json = Json::array();
  for (const auto& [kind, count] : counts) {
    json.push_back({{"group", kind.first},
                    {"kind", kind.second},
                    {"tried", count.tried},
                    {"parsed", count.parsed},
                    {"solved", count.solved}});
  }
  return json;
}

}  // namespace

Json to_json(const ValidationReport& report) {
  Json json{{"layer", report.layer},       {"fault", name_of(report.fault)},
            {"sentence", report.sentence}, {"line", report.line},
            {"seconds", report.seconds},   {"class_name", report.class_name},
            {"samples", Json::array()},    {"probes", probe_counts(report)},
            {"remarks", report.remarks}};
  int last_level = -1;
  for (const SampleProblem& sample : report.samples) {
    if (sample.level == last_level) continue;
    last_level = sample.level;
    json["samples"].push_back({{"level", sample.level},
                               {"seed", sample.seed},
                               {"prompt", sample.prompt},
                               {"reference", sample.reference}});
  }
  return json;
}

}  // namespace redqueen::synth
