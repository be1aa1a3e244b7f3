// Writes the prompt that asks the policy for a new environment (EvoEnv section 3.4, generator
// groups).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/synth/admission/prompt_template.h"

namespace redqueen::synth {

// The material of a generator prompt besides its own words.
struct GeneratorMaterial {
  std::vector<std::string> examples;  // sources, in the order in which they are shown
  std::vector<std::string> pool;      // what there is already, a line each
  std::vector<std::string> failures;  // what was refused lately and why, a line each
  std::string topic;                  // that is asked for; empty: none
  std::string suggestion;             // a kind of task that is rare so far; empty: none
  int highest_level = 4;              // of the levels that are used
};

// `prompt` has the place {{examples}} and may have {{interface}} (the base class and its helpers),
// {{levels}}, {{pool}}, {{failures}} and {{topic}} (configs/evoenv/prompts/generator.txt); a place
// whose material is empty is filled with nothing. Fails for a prompt with other places or without
// {{examples}}, and for a topic without a place.
Expected<std::string> generator_prompt(const PromptTemplate& prompt,
                                       const GeneratorMaterial& material);

// `prompt` has the places {{source}} and {{reason}} and may have {{interface}}
// (configs/evoenv/prompts/repair.txt).
Expected<std::string> repair_prompt(const PromptTemplate& prompt, std::string_view source,
                                    std::string_view reason);

// A line about an environment for GeneratorMaterial::pool: the name of its class, and how its
// statement begins.
std::string pool_line(std::string_view source, std::string_view prompt_template);

}  // namespace redqueen::synth
