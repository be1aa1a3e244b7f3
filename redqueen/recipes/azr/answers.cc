#include "redqueen/recipes/azr/answers.h"

#include <algorithm>
#include <chrono>

#include "redqueen/base/clock.h"
#include "redqueen/core/completion.h"

namespace redqueen::azr {

double success_rate(const AnsweredTask& answered) {
  if (answered.verdicts.empty()) return 0.0;
  const auto solved = std::ranges::count_if(answered.verdicts, &code_tasks::AnswerVerdict::solved);
  return static_cast<double>(solved) / static_cast<double>(answered.verdicts.size());
}

std::optional<std::string> marked_answer(const std::string& completion, const PromptFormat& format,
                                         std::size_t max_bytes) {
  const std::string response = response_of(completion, format);
  const auto answer = find_answer(response, format, max_bytes);
  if (!answer) return std::nullopt;
  return std::string(*answer);
}

double judge_answers(sandbox::Sandbox& sandbox, std::vector<AnsweredTask>& answered,
                     const PromptFormat& format, const code_tasks::SolvingOptions& options,
                     std::size_t max_response_bytes) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> texts;
  std::vector<std::pair<AnsweredTask*, std::size_t>> places;
  for (AnsweredTask& one : answered) {
    one.verdicts.assign(one.completions.size(), code_tasks::AnswerVerdict{});
    for (std::size_t j = 0; j < one.completions.size(); ++j) {
      auto text = marked_answer(one.completions[j].text, format, max_response_bytes);
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
