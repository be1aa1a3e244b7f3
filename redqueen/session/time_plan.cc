#include "redqueen/session/time_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "redqueen/base/clock.h"
#include "redqueen/core/batch.h"
#include "redqueen/run/progress.h"
#include "redqueen/session/evaluate.h"
#include "redqueen/session/memory_check.h"
#include "redqueen/text/tokenizer.h"

namespace redqueen {
namespace {

constexpr double kTrialSeconds = 0.3;
constexpr int kFirstPrompt = 8;  // numbers in the trial's first prompt
constexpr int kLongestPrompt = 128;
constexpr int kFirstResponse = 2;  // tokens of its first responses
constexpr int kLongestResponse = 32;
constexpr double kBackward = 2;  // a backward pass takes as long as two forward passes

struct Timed {
  double seconds = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t steps = 0;  // of decoding: the tokens of the longest response
};

std::optional<Timed> sample_once(Policy& policy, const std::string& prompt, int rows, int tokens) {
  SampleRequest request{.prompt = prompt, .addresses = {}};
  for (int i = 0; i < rows; ++i)
    request.addresses.push_back({.purpose = hash_name("trial"), .salt = std::uint64_t(i)});
  const auto start = std::chrono::steady_clock::now();
  const auto groups = policy.sample({&request, 1}, {.max_new_tokens = tokens});
  Timed timed{.seconds = seconds_since(start)};
  if (!groups || groups->empty()) return std::nullopt;
  timed.prompt_tokens = std::ssize(groups->front().prompt_tokens);
  for (const Completion& completion : groups->front().completions)
    timed.steps = std::max<std::int64_t>(timed.steps, std::ssize(completion.tokens));
  if (timed.prompt_tokens == 0 || timed.steps == 0) return std::nullopt;
  return timed;
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{} ", i % 10);
  return text;
}

// The mean length of the suite's problems at the levels that training begins with, or at those of
// an evaluation.
double mean_problem_tokens(const Suite& suite, const std::vector<int>& levels,
                           const Expected<Tokenizer>& tokenizer) {
  std::vector<ProblemRequest> requests;
  for (const Environment* environment : suite.environments) {
    if (environment->batch_worker() != nullptr || environment->card().answer == AnswerKind::kTurns)
      continue;
    for (const int level : levels)
      requests.push_back({environment, std::min(level, environment->card().max_level), 0});
  }
  double tokens = 0;
  double problems = 0;
  for (const Generated& problem : generate_all(requests, {.limits = {.seconds = 1}})) {
    if (!problem) continue;
    const std::string text = (*problem)->prompt();
    tokens +=
        static_cast<double>(tokenizer ? std::ssize(tokenizer->encode(text)) : std::ssize(text) / 2);
    problems += 1;
  }
  return problems == 0 ? 0 : tokens / problems;
}

double sampling_seconds(const Pace& pace, double prompts, double prompt_tokens, double responses,
                        double response_tokens) {
  return prompts * prompt_tokens * pace.prompt_token +
         responses / pace.rows * response_tokens * pace.decoding_step;
}

}  // namespace

std::optional<Pace> measure_pace(Policy& policy, int rows) {
  std::optional<Timed> reading;
  for (int count = kFirstPrompt; count <= kLongestPrompt; count *= 2) {
    const auto timed = sample_once(policy, numbers(count), 1, 1);
    if (!timed) break;
    reading = timed;
    if (timed->seconds >= kTrialSeconds) break;
  }
  if (!reading) return std::nullopt;
  Pace pace{.prompt_token = reading->seconds / static_cast<double>(reading->prompt_tokens),
            .rows = std::max(1, rows)};
  for (int tokens = kFirstResponse; tokens <= kLongestResponse; tokens *= 2) {
    const auto timed = sample_once(policy, numbers(kFirstPrompt), pace.rows, tokens);
    if (!timed) break;
    const double decoding =
        timed->seconds - static_cast<double>(timed->prompt_tokens) * pace.prompt_token;
    pace.decoding_step =
        std::max(decoding / static_cast<double>(timed->steps), pace.prompt_token / 2);
    if (timed->seconds >= kTrialSeconds) break;
  }
  if (pace.decoding_step == 0) return std::nullopt;
  return pace;
}

TimePlan plan_time(const Engine& engine, const TrainSettings& settings, const Pace& pace,
                   std::span<const SamplingDemand> calls, int processes, std::int64_t done) {
  const auto tokenizer = Tokenizer::load(policy_folder(settings.policy.path) / "tokenizer.json");
  const CurriculumOptions& curriculum = settings.curriculum;
  const std::vector<int> levels = curriculum.difficulty == Difficulty::kAdaptive
                                      ? std::vector{curriculum.low}
                                      : std::vector{curriculum.low, curriculum.high};
  double problem_tokens = 0;
  if (const auto suite = engine.load_suite(settings.suite))
    problem_tokens = mean_problem_tokens(*suite, levels, tokenizer);
  TimePlan plan;
  double group_tokens = 0;  // of a group of the main call, in training
  for (const SamplingDemand& call : calls) {
    const double prompt_tokens =
        call.prompt_tokens > 0 ? static_cast<double>(call.prompt_tokens) : problem_tokens;
    const auto response_tokens = static_cast<double>(call.response_tokens);
    plan.step += sampling_seconds(pace, static_cast<double>(call.prompts), prompt_tokens,
                                  static_cast<double>(call.responses), response_tokens);
    if (!call.trained || group_tokens > 0) continue;
    const auto rollouts = static_cast<double>(call.responses) / static_cast<double>(call.prompts);
    group_tokens = settings.trainer.share_prefix ? prompt_tokens + rollouts * response_tokens
                                                 : rollouts * (prompt_tokens + response_tokens);
  }
  plan.step +=
      settings.batch.prompts * group_tokens * settings.trainer.epochs * training_seconds(pace, 1);
  const EvaluationSettings& asked = settings.evaluation;
  const std::int64_t between =
      asked.every > 0 ? (settings.run.steps - 1) / asked.every - done / asked.every : 0;
  const auto times =
      static_cast<double>(between + (asked.before && done == 0 ? 1 : 0) + (asked.after ? 1 : 0));
  for (const std::string& name : evaluation_suites(settings)) {
    const auto suite = engine.load_suite(name);
    if (times == 0 || !suite) continue;
    const auto options = evaluation_options(settings, *suite);
    if (!options) continue;
    const double problems =
        static_cast<double>(options->problems) *
        static_cast<double>(options->levels.size() * suite->environments.size());
    plan.evaluation +=
        times * sampling_seconds(pace, problems,
                                 mean_problem_tokens(*suite, options->levels, tokenizer),
                                 problems * options->samples, options->sampling.max_new_tokens);
  }
  plan.step /= processes;
  plan.evaluation /= processes;
  return plan;
}

std::string time_plan_text(const TimePlan& plan, const Pace& pace, const TrainSettings& settings,
                           std::int64_t done) {
  const auto steps = static_cast<double>(settings.run.steps - done);
  return fmt::format(
      "plan: about {} a step and {} in all, of which {} for evaluations, where responses take all "
      "of their {} tokens (tried out: {:.1f} ms a prompt token, {:.1f} ms a token of {} "
      "responses); "
      "steps will tell better",
      plan.step < 10 ? fmt::format("{:.1f}s", plan.step) : run::duration_text(plan.step),
      run::duration_text(plan.step * steps + plan.evaluation), run::duration_text(plan.evaluation),
      settings.sampling.max_new_tokens, 1e3 * pace.prompt_token, 1e3 * pace.decoding_step,
      pace.rows);
}

double training_seconds(const Pace& pace, std::int64_t tokens) {
  return (1 + kBackward) * pace.prompt_token * static_cast<double>(tokens);
}

}  // namespace redqueen
