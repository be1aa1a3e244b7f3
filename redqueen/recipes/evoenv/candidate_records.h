// Training and growing share the funnel of their settings, and the records that they write of
// candidates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/engine/resources.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/recipes/step_log.h"
#include "redqueen/run/event_store.h"
#include "redqueen/synth/admission/funnel.h"
#include "redqueen/synth/environment_folder.h"

namespace redqueen::evoenv {

inline constexpr std::string_view kCandidateItem = "candidate";  // ItemRecord::kind

// Reads the review's template if there is a review.
Expected<synth::FunnelSettings> funnel_settings(const TrainSettings& settings, PromptFormat format,
                                                PromptFormat text_format,
                                                const Resources& resources);

// Reward, layers reached, novelty, review, calibration.
void add_candidate(const synth::EnvironmentCandidate& candidate, StepLog& log);

// For the store. `environment`: its name in the pool, if it was admitted; `policy` is for its
// certificate.
run::ItemRecord candidate_item(const synth::EnvironmentCandidate& candidate,
                               const std::optional<std::string>& environment,
                               std::string_view policy);

// For its folder in the pool. `recipe` and `policy` are for its provenance.
synth::EnvironmentRecord candidate_record(const synth::EnvironmentCandidate& candidate,
                                          std::string_view recipe, std::string_view policy,
                                          std::int64_t step);

}  // namespace redqueen::evoenv
