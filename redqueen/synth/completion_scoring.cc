#include "redqueen/synth/completion_scoring.h"

#include <string>

#include "redqueen/core/completion.h"
#include "redqueen/synth/python_environment.h"

namespace redqueen {

std::vector<Verdict> score_completions(Sandbox& sandbox, std::span<const ScoredText> texts,
                                       const PromptFormat& format, std::size_t max_bytes) {
  std::vector<std::string> responses;  // the answers point into these
  responses.reserve(texts.size());
  std::vector<AnswerRequest> requests;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    responses.push_back(response_of(texts[i].completion, format));
    const auto answer = extract_answer(responses.back(), format.marker, max_bytes);
    if (!answer) continue;
    requests.push_back({texts[i].problem, *answer});
    places.push_back(i);
  }
  std::vector<Verdict> verdicts(texts.size());
  const auto scored = score_answers(sandbox, requests);
  for (std::size_t k = 0; k < places.size(); ++k) verdicts[places[k]] = scored[k];
  return verdicts;
}

}  // namespace redqueen
