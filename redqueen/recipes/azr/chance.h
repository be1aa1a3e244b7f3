// Estimates how often guesses solve a task: without it, luck would count as learnability.
#pragma once

#include <span>
#include <vector>

#include "redqueen/code_tasks/task.h"
#include "redqueen/sandbox/limits.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::azr {

// Estimates for each task the share of guesses that solve it; in [0, 1], the same for the same
// task. Abduction: of arguments that are like the task's own, but random, those for which the
// program gives the output. Deduction and error: of such arguments those whose outcome is the
// task's, which is how often a guesser is right who knows what the program tends to return.
// Induction: 1 if the output that is shown most often is right for all hidden inputs, else 0. Each
// call runs in a process of its own, so that no program can tell that it is measured.
std::vector<double> guess_chances(sandbox::Sandbox& sandbox,
                                  std::span<const code_tasks::CodeTask* const> tasks,
                                  const sandbox::Limits& limits);

// Equation 4 above chance: `solved` of `answers` count as success only as far as guessing, with
// `chance` of success each, does not explain them at the 5 % level; then 1 − (r̄ − c) / (1 − c),
// and 0 for a task that is always solved. With chance 0 it is learnability(solved / answers).
double learnability_above(double success_rate, int answers, double chance);

}  // namespace redqueen::azr
