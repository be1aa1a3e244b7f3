// How far the policy's reviews can be trusted: it reads environments that a program of ours wrote,
// whose truth is known (synth/writer/environment_writer.h), under the settings of the run.
#pragma once

#include <cstdint>

#include "redqueen/base/error.h"
#include "redqueen/base/rng.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/policy/missing_responses.h"
#include "redqueen/policy/policy.h"
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/synth/admission/funnel.h"
#include "redqueen/synth/admission/review.h"

namespace redqueen::evoenv {

// Half of `environments` are sound; the others compute something else than their words ask for, and
// are such as validation lets through: what a review is there for. A batch of reviews as the funnel
// makes them. Randomness is addressed by `address`, whose index and salt are the audit's to use;
// equal addresses audit with equal environments. Reviews that did not come are counted in
// `missing`, and their environments left out.
Expected<synth::ReviewAudit> audit_reviewer(sandbox::Sandbox& sandbox, Policy& policy,
                                            const synth::FunnelSettings& funnel, int environments,
                                            const RandomAddress& address,
                                            MissingResponses& missing);

}  // namespace redqueen::evoenv
