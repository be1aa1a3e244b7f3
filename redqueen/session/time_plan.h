// Foretells how long a run will take, from a trial of about a second before its first step.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "redqueen/engine/engine.h"
#include "redqueen/policy/policy.h"
#include "redqueen/recipes/recipe_entry.h"
#include "redqueen/recipes/settings.h"

namespace redqueen {

// How fast a policy of this process is, on the machine as it is now.
struct Pace {
  double prompt_token = 0;   // seconds for a token that is read
  double decoding_step = 0;  // seconds for the next token of `rows` responses at once
  int rows = 1;
};

// Samples `rows` responses at once until both figures rest on a third of a second of work, or on
// some hundred tokens of a small policy. Nothing when the policy answers nothing. What is sampled
// later does not depend on it.
std::optional<Pace> measure_pace(Policy& policy, int rows);

// A forecast in seconds. Responses are counted at their full length, so that it is more often too
// high than too low.
struct TimePlan {
  double step = 0;        // sampling and the update
  double evaluation = 0;  // all evaluations that are still to come
};

// The time of one step of one learner on its own: the calls of RecipeType::calls, a batch of
// settings.batch through the trainer, where a token costs three times what it costs to read, and
// the evaluations after the steps that are done. `processes` share the work.
TimePlan plan_time(const Engine& engine, const TrainSettings& settings, const Pace& pace,
                   std::span<const SamplingDemand> calls, int processes, std::int64_t done);

// The plan of the steps to come in one sentence: "plan: about 21s a step and 9m20s in all …".
std::string time_plan_text(const TimePlan& plan, const Pace& pace, const TrainSettings& settings,
                           std::int64_t done);

// Seconds for a pass forward and back over so many tokens.
double training_seconds(const Pace& pace, std::int64_t tokens);

}  // namespace redqueen
