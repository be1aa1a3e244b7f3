#include "redqueen/session/memory_check.h"

#include <algorithm>

#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/checkpoint/model_config.h"
#include "redqueen/core/batch.h"
#include "redqueen/decode/cache_size.h"
#include "redqueen/model/libtorch_info.h"
#include "redqueen/recipes/engine_settings.h"
#include "redqueen/session/evaluate.h"
#include "redqueen/text/tokenizer.h"
#include "redqueen/train/available_memory.h"
#include "redqueen/train/memory_plan.h"
#include "redqueen/train/sharding.h"

namespace redqueen {
namespace {

// A prompt has as many at least, with what its format puts around the problem.
constexpr std::int64_t kPromptTokens = 512;
constexpr std::int64_t kFormatTokens = 64;

bool uses_device(const PolicySettings& policy) {
  return policy.device == "cuda" || (policy.device == "auto" && !libtorch_info().devices.empty());
}

MemoryDemand demand_of_weights(const TrainSettings& settings) {
  return {.weight_bytes = settings.policy.dtype == "bfloat16" ? 2 : 4,
          .on_device = uses_device(settings.policy),
          .activation_checkpointing = settings.trainer.activation_checkpointing,
          .entropy = settings.trainer.objective.entropy_coefficient != 0,
          .micro_batch_tokens = static_cast<std::int64_t>(settings.trainer.micro_batch_tokens)};
}

Status check(const std::vector<ModelMemory>& models) {
  MemorySupply supply{.host = available_memory()};
  if (std::ranges::any_of(models, [](const ModelMemory& one) { return one.demand.on_device; }))
    supply.device = free_device_memory();
  return check_memory(models, supply);
}

Expected<ModelConfig> config_of(const PolicySettings& policy) {
  return ModelConfig::load_folder(policy_folder(policy.path));
}

// The numbers of the adapters that are trained: those of the policy's folder, or those that the
// settings ask for.
std::int64_t adapter_numbers(const TrainSettings& settings, const ModelConfig& config) {
  const std::filesystem::path folder = policy_folder(settings.policy.path);
  if (!is_adapter_folder(folder)) return settings.table<LoraConfig>().parameter_count(config);
  const auto own = LoraConfig::load(folder / "adapter_config.json");
  return own ? own->parameter_count(config) : 0;  // loading it will say what is wrong
}

// Whether the reference is the model beside which the adapters stand: then it is no second copy.
bool reference_is_base(const TrainSettings& settings) {
  const auto base = base_folder(policy_folder(settings.policy.path));
  std::error_code ignored;
  return base && std::filesystem::equivalent(settings.trainer.reference, *base, ignored);
}

// As much as may be kept of all conversations of a step, when each has filled the context: the rows
// of two turns are there at once (load_embedded.cc).
std::int64_t kept_bytes(const TrainSettings& settings, const ModelConfig& config,
                        const MemoryDemand& demand) {
  std::int64_t all = 0;
  for (const SamplingDemand& call : demand.calls) all = std::max(all, call.responses);
  const std::int64_t own = (all + demand.processes - 1) / demand.processes;
  return std::min(
      std::int64_t{settings.policy.kept_mb} << 20,
      2 * own * config.max_position_embeddings * cached_token_bytes(config, demand.weight_bytes));
}

}  // namespace

bool takes_turns(const Engine& engine, const TrainSettings& settings) {
  std::vector<std::string> names = evaluation_suites(settings);
  names.push_back(settings.suite);
  return std::ranges::any_of(names, [&](const std::string& name) {
    const auto suite = engine.load_suite(name);
    return suite && std::ranges::any_of(suite->environments, [](const Environment* environment) {
             return environment->card().answer == AnswerKind::kTurns;
           });
  });
}

namespace {

// The levels at which problems are looked at: with each other's, the highest.
std::vector<int> trained_levels(const CurriculumOptions& curriculum) {
  return {curriculum.difficulty == Difficulty::kAdaptive ? curriculum.low + curriculum.width
                                                         : curriculum.high};
}

// Of the longest of some problems; without a tokenizer two bytes are a token, as in lists of
// numbers.
std::int64_t problem_tokens(const Suite& suite, const std::vector<int>& levels,
                            const Expected<Tokenizer>& tokenizer) {
  constexpr std::uint64_t kProblems = 2;
  std::vector<ProblemRequest> requests;
  for (const Environment* environment : suite.environments) {
    if (environment->batch_worker() != nullptr || environment->card().answer == AnswerKind::kTurns)
      continue;
    const int level = std::min(std::ranges::max(levels), environment->card().max_level);
    for (std::uint64_t seed = 0; seed < kProblems; ++seed)
      requests.push_back({environment, level, seed});
  }
  std::int64_t longest = 0;
  for (const Generated& problem : generate_all(requests, {.limits = {.seconds = 1}})) {
    if (!problem) continue;
    const std::string text = (*problem)->prompt();
    longest = std::max<std::int64_t>(
        longest, tokenizer ? std::ssize(tokenizer->encode(text)) : std::ssize(text) / 2);
  }
  return std::max(kPromptTokens, longest + kFormatTokens);
}

// What an evaluation asks of a suite.
SamplingDemand evaluation_call(const Suite& suite, const EvaluationOptions& options) {
  const std::int64_t prompts = std::int64_t{options.problems} *
                               static_cast<std::int64_t>(options.levels.size()) *
                               std::ssize(suite.environments);
  const SampleParameters& sampling = options.sampling;
  return {.prompts = prompts,
          .responses = prompts * options.samples,
          .response_tokens = sampling.max_new_tokens,
          .greedy = sampling.temperature == 0,
          .cuts = sampling.top_k > 0 || sampling.top_p < 1 || sampling.min_p > 0,
          .trained = false};
}

// Fits a call into the context. The last turn of a conversation has all others before it, and
// shares them with none.
SamplingDemand fitted(SamplingDemand call, const TrainSettings& settings, std::int64_t context,
                      const PlannedWork& work) {
  const std::int64_t limit = settings.sampling.max_prompt_tokens;
  if (call.prompt_tokens == 0) call.prompt_tokens = work.problem_tokens;
  if (limit > 0) call.prompt_tokens = std::min(call.prompt_tokens, limit);
  call.response_tokens = std::min(call.response_tokens, context);
  if (work.conversations) {
    call.prompt_tokens = context;
    call.prompts = call.responses;
  }
  const std::int64_t room = std::max<std::int64_t>(1, context - call.response_tokens);
  call.prompt_tokens = std::min(call.prompt_tokens, room);
  call.begun_tokens = std::min(call.begun_tokens, room - call.prompt_tokens);
  return call;
}

}  // namespace

PlannedWork planned_work(const Engine& engine, const TrainSettings& settings) {
  PlannedWork work{.conversations = takes_turns(engine, settings)};
  const std::int64_t limit = settings.sampling.max_prompt_tokens;
  const auto tokenizer = Tokenizer::load(policy_folder(settings.policy.path) / "tokenizer.json");
  const auto tokens = [&](const Suite& suite, const std::vector<int>& levels) {
    return limit > 0 ? limit : problem_tokens(suite, levels, tokenizer);
  };
  if (const auto suite = engine.load_suite(settings.suite))
    work.problem_tokens = tokens(*suite, trained_levels(settings.curriculum));
  const EvaluationSettings& asked = settings.evaluation;
  if (!asked.before && !asked.after && asked.every == 0) return work;
  // Whatever the format: one that the policy lays out is not known before it is loaded.
  TrainSettings plain = settings;
  plain.policy.prompt_format = PolicySettings().prompt_format;
  for (const std::string& name : evaluation_suites(settings)) {
    const auto suite = engine.load_suite(name);
    if (!suite) continue;
    const auto options = evaluation_options(plain, *suite);
    if (!options) continue;
    work.evaluation.push_back(evaluation_call(*suite, *options));
    work.evaluation.back().prompt_tokens = tokens(*suite, options->levels);
  }
  return work;
}

MemoryDemand train_memory_demand(const TrainSettings& settings, const ModelConfig& config,
                                 int processes, const PlannedWork& work,
                                 std::vector<SamplingDemand> calls) {
  const std::int64_t context = config.max_position_embeddings;
  MemoryDemand demand = demand_of_weights(settings);
  demand.processes = processes;
  demand.offload_optimizer = settings.trainer.optimizer.offload;
  demand.sharding = settings.table<Sharing>().what;
  demand.adapters = adapter_numbers(settings, config);
  demand.reference = !settings.trainer.reference.empty() && settings.trainer.hold_reference &&
                     !(demand.adapters > 0 && reference_is_base(settings));
  demand.max_rows = settings.policy.max_rows;
  if (calls.empty())
    calls = {sampling_call(settings, settings.batch.sampled_prompts, settings.batch.rollouts)};
  std::int64_t longest = 0;
  for (SamplingDemand& call : calls) {
    call = fitted(call, settings, context, work);
    if (call.trained) longest = std::max(longest, call.whole_tokens());
  }
  const SamplingDemand& main = calls.front();
  const std::int64_t response = main.begun_tokens + main.response_tokens;
  const std::int64_t group = settings.trainer.share_prefix && !work.conversations
                                 ? main.prompt_tokens + settings.batch.rollouts * response
                                 : settings.batch.rollouts * main.whole_tokens();
  const std::int64_t update = settings.batch.prompts * group / settings.trainer.mini_batches;
  demand.micro_batch_tokens =
      std::max(longest, std::min(demand.micro_batch_tokens, update / processes));
  demand.hands_over = !settings.table<EngineSettings>().path.empty();
  if (demand.hands_over) calls.clear();  // it draws them
  for (const SamplingDemand& call : work.evaluation)
    calls.push_back(fitted(call, settings, context, work));
  demand.calls = std::move(calls);
  if (work.conversations && !demand.hands_over)
    demand.kept_bytes = kept_bytes(settings, config, demand);
  return demand;
}

namespace {

Expected<std::vector<ModelMemory>> models_of(const Engine& engine, const TrainSettings& settings,
                                             std::span<const LearnerSettings> learners,
                                             int processes) {
  std::vector<ModelMemory> models;
  for (const LearnerSettings& learner : learners) {
    ASSIGN_OR_RETURN(const ModelConfig config, config_of(learner.policy));
    TrainSettings own = settings;
    own.policy = learner.policy;
    own.trainer = learner.trainer;
    PlannedWork work = planned_work(engine, own);
    if (!models.empty()) work.evaluation.clear();  // the first learner's policy is evaluated
    models.push_back({learner.policy.path, config,
                      train_memory_demand(own, config, processes, work, learner.calls)});
  }
  return models;
}

}  // namespace

Expected<MemoryForecast> forecast_memory(const Engine& engine, const TrainSettings& settings,
                                         std::span<const LearnerSettings> learners, int processes,
                                         const MemorySupply& supply) {
  ASSIGN_OR_RETURN(const auto models, models_of(engine, settings, learners, processes));
  return MemoryForecast{memory_table(models, supply), check_memory(models, supply)};
}

Status check_train_memory(const Engine& engine, const TrainSettings& settings,
                          std::span<const LearnerSettings> learners, int processes) {
  if (!settings.run.check_memory) return {};
  const auto models = models_of(engine, settings, learners, processes);
  return models ? check(*models) : Status();
}

Status check_warm_start_memory(const TrainSettings& settings) {
  const auto config = config_of(settings.policy);
  if (!config || !settings.run.check_memory) return {};
  MemoryDemand demand = demand_of_weights(settings);
  demand.activation_checkpointing = false;
  demand.entropy = false;
  demand.adapters = adapter_numbers(settings, *config);
  demand.micro_batch_tokens =
      std::min<std::int64_t>(demand.micro_batch_tokens, settings.warm_start.batch_tokens);
  return check({{settings.policy.path, *config, demand}});
}

}  // namespace redqueen
