// The solver's side of self-play: tasks, the policy's answers to them, and their verdicts.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/code_tasks/solving.h"
#include "redqueen/policy/policy.h"
#include "redqueen/recipes/azr/form.h"

namespace redqueen::azr {

struct AnsweredTask {
  code_tasks::CodeTask task;
  std::string prompt;
  std::vector<Token> prompt_tokens;
  std::vector<Completion> completions;
  std::vector<code_tasks::AnswerVerdict> verdicts;  // of the completions
  double chance = 0;  // share of guesses that solve it; 0: not estimated
};

// Share of the completions that solve the task.
double success_rate(const AnsweredTask& answered);

// True if two runs of the task's program with one answer differed: it is no function of its input,
// so that nothing said about the task holds.
bool is_void(const AnsweredTask& answered);

// Estimates by chance.h how often guesses solve the tasks.
void estimate_chances(sandbox::Sandbox& sandbox, std::vector<AnsweredTask>& answered,
                      const sandbox::Limits& limits);

// Fills in all verdicts, in one go. Returns the seconds that it took.
double judge_answers(sandbox::Sandbox& sandbox, std::vector<AnsweredTask>& answered,
                     const ResponseForm& form, const code_tasks::SolvingOptions& options,
                     std::size_t max_response_bytes);

}  // namespace redqueen::azr
