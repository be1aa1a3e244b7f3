#include "redqueen/synth/admission/generator_prompt.h"

namespace redqueen::synth {

Expected<std::string> generator_prompt(const PromptTemplate& prompt,
                                       std::span<const std::string> sources) {
  std::string examples;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    examples +=
        fmt::format("{}Example {}:\n{}", i > 0 ? "\n\n" : "", i + 1, fenced(sources[i], "python"));
  }
  return prompt.fill({{"examples", std::move(examples)}});
}

}  // namespace redqueen::synth
