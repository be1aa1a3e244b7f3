// The solver's side of self-play: tasks, the policy's answers to them, and their verdicts.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/code_tasks/solving.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/policy/policy.h"

namespace redqueen::azr {

struct AnsweredTask {
  code_tasks::CodeTask task;
  std::string prompt;
  std::vector<Token> prompt_tokens;
  std::vector<Completion> completions;
  std::vector<code_tasks::AnswerVerdict> verdicts;  // of the completions
};

// Share of the completions that solve the task.
double success_rate(const AnsweredTask& answered);

// The text between the answer marks of a completion, as score_completion (core/batch.h) finds
// it.
std::optional<std::string> marked_answer(const std::string& completion, const PromptFormat& format,
                                         std::size_t max_bytes);

// Fills in all verdicts, in one go. Returns the seconds that it took.
double judge_answers(sandbox::Sandbox& sandbox, std::vector<AnsweredTask>& answered,
                     const PromptFormat& format, const code_tasks::SolvingOptions& options,
                     std::size_t max_response_bytes);

}  // namespace redqueen::azr
