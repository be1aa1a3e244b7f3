#include "redqueen/core/environment.h"

#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/core/answer_limits.h"
#include "redqueen/core/completion.h"
#include "redqueen/core/plain_form.h"

namespace redqueen {
namespace {

constexpr auto kFaults = enum_names<GenerationFault>({{"level", GenerationFault::kLevel},
                                                      {"attempts", GenerationFault::kAttempts},
                                                      {"draws", GenerationFault::kDraws},
                                                      {"time", GenerationFault::kTime},
                                                      {"internal", GenerationFault::kInternal}});

}  // namespace

std::string_view to_string(GenerationFault fault) { return kFaults.name(fault); }

std::unique_ptr<Episode> Problem::start(const EpisodeOptions& options) const {
  return single_turn_episode(*this, options);
}

std::vector<Action> Problem::reference_actions(const PromptFormat& format) const {
  return {{.text = completion_for(reference(), format)}};
}

Verdict score_answer(const Problem& problem, std::string_view answer, AnswerReading reading) {
  const Verdict strict = score_within_limits(problem, answer);
  if (reading == AnswerReading::kStrict || strict.solved || is_too_long(problem, answer))
    return strict;
  const OtherForms forms = other_forms(answer, problem.answer_kind());
  std::vector<Verdict> verdicts;
  for (const std::string& form : forms.list) verdicts.push_back(score_within_limits(problem, form));
  return best_verdict(strict, forms, verdicts);
}

Verdict score_response(const Problem& problem, std::string_view response, MarkerStyle style,
                       std::size_t max_bytes, AnswerReading reading) {
  const auto answer = find_answer(response, {.marker = style}, max_bytes);
  return answer ? score_answer(problem, *answer, reading) : Verdict{};
}

}  // namespace redqueen
