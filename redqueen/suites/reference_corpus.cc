#include "redqueen/suites/reference_corpus.h"

#include "redqueen/core/batch.h"
#include "redqueen/core/completion.h"

namespace redqueen {

std::vector<TextPair> reference_corpus(const Suite& suite, const CorpusOptions& options,
                                       const PromptFormat& format) {
  const std::uint64_t salt = hash_name("warm start") | 1;
  std::vector<TextPair> pairs;
  for (const Environment* environment : suite.environments) {
    for (const int level : options.levels) {
      if (level > environment->card().max_level) continue;
      std::vector<ProblemRequest> requests;
      for (int i = 0; i < options.problems; ++i) {
        requests.push_back(
            {environment, level, options.first + static_cast<std::uint64_t>(i), salt});
      }
      for (const Generated& problem : generate_all(requests)) {
        if (!problem) continue;
        pairs.push_back(
            {format.render((*problem)->prompt()), completion_for((*problem)->reference(), format)});
      }
    }
  }
  return pairs;
}

}  // namespace redqueen
