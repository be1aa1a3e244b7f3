#include "redqueen/recipes/azr/answers.h"

#include <algorithm>
#include <chrono>

#include "redqueen/base/clock.h"
#include "redqueen/recipes/azr/chance.h"

namespace redqueen::azr {

double success_rate(const AnsweredTask& answered) {
  if (answered.verdicts.empty()) return 0.0;
  const auto solved = std::ranges::count_if(answered.verdicts, &code_tasks::AnswerVerdict::solved);
  return static_cast<double>(solved) / static_cast<double>(answered.verdicts.size());
}

bool is_void(const AnsweredTask& answered) {
  return std::ranges::any_of(answered.verdicts, [](const code_tasks::AnswerVerdict& verdict) {
    return verdict.reason == code_tasks::Reason::kNotDeterministic;
  });
}

void estimate_chances(sandbox::Sandbox& sandbox, std::vector<AnsweredTask>& answered,
                      const sandbox::Limits& limits) {
  std::vector<const code_tasks::CodeTask*> tasks;
  for (const AnsweredTask& one : answered) tasks.push_back(&one.task);
  const std::vector<double> chances = guess_chances(sandbox, tasks, limits);
  for (std::size_t k = 0; k < answered.size(); ++k) answered[k].chance = chances[k];
}

double judge_answers(sandbox::Sandbox& sandbox, std::vector<AnsweredTask>& answered,
                     const ResponseForm& form, const code_tasks::SolvingOptions& options,
                     std::size_t max_response_bytes) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> texts;
  std::vector<std::pair<AnsweredTask*, std::size_t>> places;
  for (AnsweredTask& one : answered) {
    one.verdicts.assign(one.completions.size(), code_tasks::AnswerVerdict{});
    for (std::size_t j = 0; j < one.completions.size(); ++j) {
      auto text = form.answer_in(one.task.type, one.completions[j].text, max_response_bytes);
      if (!text) continue;
      texts.push_back(std::move(*text));
      places.emplace_back(&one, j);
    }
  }
  std::vector<code_tasks::AnswerCheck> checks;
  for (std::size_t k = 0; k < texts.size(); ++k)
    checks.push_back({&places[k].first->task, texts[k]});
  const std::vector<code_tasks::AnswerVerdict> verdicts = check_answers(sandbox, checks, options);
  for (std::size_t k = 0; k < verdicts.size(); ++k)
    places[k].first->verdicts[places[k].second] = verdicts[k];
  return seconds_since(start);
}

}  // namespace redqueen::azr
