#include "redqueen/recipes/warm_start.h"

#include "redqueen/recipes/scoring.h"

namespace redqueen {

std::vector<TextPair> reference_corpus(const Suite& suite, const CorpusOptions& options,
                                       const PromptFormat& format) {
  const std::uint64_t salt = hash_name("warm start") | 1;
  std::vector<TextPair> pairs;
  for (const Environment* environment : suite.environments) {
    for (const int level : options.levels) {
      if (level > environment->card().max_level) continue;
      for (int i = 0; i < options.problems; ++i) {
        const auto problem =
            environment->generate(level, options.first + static_cast<std::uint64_t>(i), salt);
        if (!problem) continue;
        pairs.push_back(
            {format.render((*problem)->prompt()), completion_for((*problem)->reference(), format)});
      }
    }
  }
  return pairs;
}

}  // namespace redqueen
