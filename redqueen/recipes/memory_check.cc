#include "redqueen/recipes/memory_check.h"

#include <torch/version.h>

#include <algorithm>

#include "redqueen/policy/libtorch_info.h"
#include "redqueen/policy/model_config.h"
#include "redqueen/train/available_memory.h"
#include "redqueen/train/memory_plan.h"
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 11
#include <ATen/DeviceAccelerator.h>
#endif

namespace redqueen {
namespace {

constexpr std::int64_t kPromptTokens = 512;

bool uses_device(const PolicySettings& policy) {
  return policy.device == "cuda" || (policy.device == "auto" && !libtorch_info().devices.empty());
}

std::optional<std::int64_t> free_device_memory() {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 11
  if (!libtorch_info().devices.empty()) {
    return static_cast<std::int64_t>(at::accelerator::getMemoryInfo(0).first);
  }
#endif
  return std::nullopt;
}

MemoryDemand demand_of_weights(const TrainSettings& settings) {
  return {.weight_bytes = settings.policy.dtype == "bfloat16" ? 2 : 4,
          .on_device = uses_device(settings.policy),
          .activation_checkpointing = settings.trainer.activation_checkpointing,
          .token_budget = static_cast<std::int64_t>(settings.trainer.token_budget)};
}

Status check(const TrainSettings& settings, const ModelConfig& config, const MemoryDemand& demand) {
  MemorySupply supply{.host = available_memory()};
  if (demand.on_device) supply.device = free_device_memory();
  Status fits = check_memory(config, demand, supply);
  if (!fits) {
    fits.error().message = fmt::format("{}: {}", settings.policy.path, fits.error().message);
  }
  return fits;
}

Expected<ModelConfig> config_of(const TrainSettings& settings) {
  const std::string& path = settings.policy.path;
  return ModelConfig::load_folder(path.starts_with("hf:") ? path.substr(3) : path);
}

}  // namespace

MemoryDemand train_memory_demand(const TrainSettings& settings, const ModelConfig& config,
                                 int processes) {
  const std::int64_t context = config.max_position_embeddings;
  MemoryDemand demand = demand_of_weights(settings);
  demand.processes = processes;
  demand.offload_optimizer = settings.trainer.optimizer.offload;
  demand.reference = !settings.trainer.reference.empty() && settings.trainer.hold_reference;
  demand.rollouts = settings.batch.rollouts;
  demand.response_tokens = std::min<std::int64_t>(settings.sampling.max_new_tokens, context);
  demand.prompt_tokens =
      std::clamp(context - demand.response_tokens, std::int64_t{1}, kPromptTokens);
  demand.max_rows = std::min<std::int64_t>(
      settings.policy.max_rows,
      std::int64_t{settings.batch.sampled_prompts} * settings.batch.rollouts);
  const std::int64_t one = demand.prompt_tokens + demand.response_tokens;
  const std::int64_t group = settings.trainer.share_prefix
                                 ? demand.prompt_tokens + demand.rollouts * demand.response_tokens
                                 : demand.rollouts * one;
  const std::int64_t update = settings.batch.prompts * group / settings.trainer.mini_batches;
  demand.token_budget = std::max(one, std::min(demand.token_budget, update / processes));
  return demand;
}

Status check_train_memory(const TrainSettings& settings, int processes) {
  const auto config = config_of(settings);
  if (!config || !settings.run.check_memory) return {};
  return check(settings, *config, train_memory_demand(settings, *config, processes));
}

Status check_warm_start_memory(const TrainSettings& settings) {
  const auto config = config_of(settings);
  if (!config || !settings.run.check_memory) return {};
  MemoryDemand demand = demand_of_weights(settings);
  demand.activation_checkpointing = false;
  demand.token_budget =
      std::min<std::int64_t>(demand.token_budget, settings.warm_start.batch_tokens);
  return check(settings, *config, demand);
}

}  // namespace redqueen
