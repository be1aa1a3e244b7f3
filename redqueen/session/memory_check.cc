#include "redqueen/session/memory_check.h"

#include <algorithm>

#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/checkpoint/model_config.h"
#include "redqueen/decode/cache_size.h"
#include "redqueen/model/libtorch_info.h"
#include "redqueen/recipes/engine_settings.h"
#include "redqueen/session/evaluate.h"
#include "redqueen/train/available_memory.h"
#include "redqueen/train/memory_plan.h"
#include "redqueen/train/sharding.h"

namespace redqueen {
namespace {

constexpr std::int64_t kPromptTokens = 512;

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

std::filesystem::path folder_of(const PolicySettings& policy) {
  return policy.path.starts_with("hf:") ? policy.path.substr(3) : policy.path;
}

Expected<ModelConfig> config_of(const PolicySettings& policy) {
  return ModelConfig::load_folder(folder_of(policy));
}

// The numbers of the adapters that are trained: those of the policy's folder, or those that the
// settings ask for.
std::int64_t adapter_numbers(const TrainSettings& settings, const ModelConfig& config) {
  const std::filesystem::path folder = folder_of(settings.policy);
  if (!is_adapter_folder(folder)) return settings.table<LoraConfig>().parameter_count(config);
  const auto own = LoraConfig::load(folder / "adapter_config.json");
  return own ? own->parameter_count(config) : 0;  // loading it will say what is wrong
}

// Whether the reference is the model beside which the adapters stand: then it is no second copy.
bool reference_is_base(const TrainSettings& settings) {
  const auto base = base_folder(folder_of(settings.policy));
  std::error_code ignored;
  return base && std::filesystem::equivalent(settings.trainer.reference, *base, ignored);
}

// As much as may be kept of all conversations of a step, when each has filled the context: the rows
// of two turns are there at once (load_embedded.cc).
std::int64_t kept_bytes(const TrainSettings& settings, const ModelConfig& config,
                        const MemoryDemand& demand) {
  const std::int64_t all = std::int64_t{settings.batch.sampled_prompts} * settings.batch.rollouts;
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

MemoryDemand train_memory_demand(const TrainSettings& settings, const ModelConfig& config,
                                 int processes, bool conversations) {
  const std::int64_t context = config.max_position_embeddings;
  MemoryDemand demand = demand_of_weights(settings);
  demand.processes = processes;
  demand.offload_optimizer = settings.trainer.optimizer.offload;
  demand.sharding = settings.table<Sharing>().what;
  demand.adapters = adapter_numbers(settings, config);
  demand.reference = !settings.trainer.reference.empty() && settings.trainer.hold_reference &&
                     !(demand.adapters > 0 && reference_is_base(settings));
  demand.rollouts = settings.batch.rollouts;
  demand.response_tokens = std::min<std::int64_t>(settings.sampling.max_new_tokens, context);
  // The last turn of a conversation has all others before it, and shares them with none.
  demand.prompt_tokens = std::clamp(context - demand.response_tokens, std::int64_t{1},
                                    conversations ? context : kPromptTokens);
  if (conversations) demand.rollouts = 1;
  demand.max_rows = std::min<std::int64_t>(
      settings.policy.max_rows,
      std::int64_t{settings.batch.sampled_prompts} * settings.batch.rollouts);
  demand.hands_over = !settings.table<EngineSettings>().path.empty();
  if (demand.hands_over) demand.max_rows = 0;  // it samples
  if (conversations && !demand.hands_over) demand.kept_bytes = kept_bytes(settings, config, demand);
  const std::int64_t one = demand.prompt_tokens + demand.response_tokens;
  const std::int64_t group = settings.trainer.share_prefix && !conversations
                                 ? demand.prompt_tokens + demand.rollouts * demand.response_tokens
                                 : settings.batch.rollouts * one;
  const std::int64_t update = settings.batch.prompts * group / settings.trainer.mini_batches;
  demand.micro_batch_tokens =
      std::max(one, std::min(demand.micro_batch_tokens, update / processes));
  // Evaluations sample, too.
  demand.response_tokens = std::min(
      std::max<std::int64_t>(demand.response_tokens, settings.evaluation.max_new_tokens), context);
  demand.prompt_tokens =
      std::clamp<std::int64_t>(context - demand.response_tokens, 1, demand.prompt_tokens);
  return demand;
}

namespace {

Expected<std::vector<ModelMemory>> models_of(const Engine& engine, const TrainSettings& settings,
                                             std::span<const LearnerSettings> learners,
                                             int processes) {
  const bool conversations = takes_turns(engine, settings);
  std::vector<ModelMemory> models;
  for (const LearnerSettings& learner : learners) {
    ASSIGN_OR_RETURN(const ModelConfig config, config_of(learner.policy));
    TrainSettings own = settings;
    own.policy = learner.policy;
    own.trainer = learner.trainer;
    models.push_back(
        {learner.policy.path, config, train_memory_demand(own, config, processes, conversations)});
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
