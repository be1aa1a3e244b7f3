// The solver's side of self-play: tasks, the policy's answers to them, and their verdicts.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/core/prompt_format.h"
#include "redqueen/policy/policy.h"
#include "redqueen/recipes/azr/solving.h"

namespace redqueen {

struct AnsweredTask {
  CodeTask task;
  std::string prompt;
  std::vector<Token> prompt_tokens;
  std::vector<Completion> completions;
  std::vector<AnswerVerdict> verdicts;  // of the completions
};

// Share of the completions that solve the task.
double success_rate(const AnsweredTask& answered);

// The text between the answer marks of a completion, as score_completion (recipes/scoring.h) finds it.
std::optional<std::string> marked_answer(const std::string& completion, const PromptFormat& format,
                                         std::size_t max_bytes);

// Fills in all verdicts, in one go. Returns the seconds that it took.
double judge_answers(Sandbox& sandbox, std::vector<AnsweredTask>& answered,
                     const PromptFormat& format, const SolvingOptions& options,
                     std::size_t max_response_bytes);

}  // namespace redqueen
