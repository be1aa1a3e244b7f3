// Writes the prompt that asks the policy for a new environment (EvoEnv section 3.4, generator
// groups).
#pragma once

#include <span>
#include <string>

#include "redqueen/base/error.h"
#include "redqueen/synth/admission/prompt_template.h"

namespace redqueen::synth {

// `prompt` has the one place {{examples}} (configs/evoenv/prompts/generator.txt); `sources` are the
// environments drawn from the few-shot pool, in the order in which they are shown. Fails for a
// prompt with other places.
Expected<std::string> generator_prompt(const PromptTemplate& prompt,
                                       std::span<const std::string> sources);

}  // namespace redqueen::synth
