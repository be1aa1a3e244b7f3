#include "redqueen/session/load_embedded.h"

#include <filesystem>

#include "redqueen/embedded/embedded_token_policy.h"
#include "redqueen/embedded/weight_exchange.h"
#include "redqueen/model/libtorch_info.h"
#include "redqueen/model/lora.h"
#include "redqueen/recipes/recipes.h"
#include "redqueen/run/config.h"
#include "redqueen/session/distributed/visible_gpu.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/session/policy_to_train.h"

namespace redqueen {
namespace {

// "cpu" or "cuda". Each of several processes sees one GPU, its own (visible_gpu.h).
Expected<std::string> device_of(const PolicySettings& settings, const RankPlace& place) {
  const bool sees_gpu = !libtorch_info().devices.empty();
  if (settings.device == "cpu" || (settings.device == "auto" && !sees_gpu)) return "cpu";
  const bool too_few =
      place.rank == 0 && sees_gpu && visible_gpu(gpus_of_ranks(), place.size - 1).empty();
  if (place.size > 1 && (too_few || !sees_gpu)) {
    return usage_error(
        "{} processes need a GPU each, and there are not as many; give a smaller --nproc, or "
        "policy.device=cpu",
        place.size);
  }
  return "cuda";
}

// Refuses a path that is missing, or that names a run in place of a policy's folder.
Status check_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder, ignored))
    return usage_error("{}: there is no such policy", folder.string());
  if (std::filesystem::exists(folder / "run.db", ignored)) {
    return usage_error("{}: this is a run; its policy is {}", folder.string(),
                       (folder / "policy").string());
  }
  return {};
}

Expected<std::unique_ptr<EmbeddedPolicy>> load_embedded(const PolicySettings& settings, int threads,
                                                        const RankPlace& place) {
  RETURN_IF_ERROR(check_policy_to_train(settings));
  const std::filesystem::path folder = policy_folder(settings.path);
  ASSIGN_OR_RETURN(const std::string device, device_of(settings, place));
  // The rows of two turns are there at once: those that are read, and those that are written.
  const std::int64_t kept_of_turn = (std::int64_t{settings.kept_mb} << 20) / 2;
  return EmbeddedPolicy::load(folder, {.dtype = settings.dtype,
                                       .device = device,
                                       .threads = thread_count(threads, place.size),
                                       .max_rows = settings.max_rows,
                                       .max_kept_bytes = kept_of_turn});
}

// By the run's seed, so that every process has the same.
Status add_wanted_adapters(const Transformer& model, const PolicySettings& policy,
                           const TrainSettings& settings) {
  const auto& lora = settings.table<LoraConfig>();
  if (lora.rank == 0) return {};
  return ensure_adapters(model, lora, policy_folder(policy.path), settings.run.seed);
}

}  // namespace

Status check_policy_to_train(const PolicySettings& policy) {
  if (policy.path.empty()) {
    return usage_error(
        "no policy: give --policy DIR, or policy.path in the configuration; "
        "`redqueen policy init` makes a small one");
  }
  if (policy.path.starts_with(kEndpointPrefix)) {
    return usage_error(
        "{}: a policy behind an endpoint has no weights here; only eval, sample and synth use one",
        policy.path);
  }
  return check_folder(policy_folder(policy.path));
}

Expected<std::unique_ptr<Policy>> load_policy_folder(const TrainSettings& settings) {
  return load_embedded_policy(settings);
}

std::unique_ptr<TokenPolicy> token_policy_of(const Policy& policy) {
  const auto* embedded = dynamic_cast<const EmbeddedPolicy*>(&policy);
  return embedded == nullptr ? nullptr : std::make_unique<EmbeddedTokenPolicy>(*embedded);
}

WeightLoader weight_loader_of(Policy& policy) {
  const auto* embedded = dynamic_cast<const EmbeddedPolicy*>(&policy);
  if (embedded == nullptr) return nullptr;
  return [embedded](const std::filesystem::path& folder) {
    return exchange_weights(*embedded, folder);
  };
}

Expected<std::unique_ptr<EmbeddedPolicy>> load_embedded_policy(const TrainSettings& settings) {
  return load_embedded(settings.policy, settings.run.threads, {});
}

Expected<std::unique_ptr<EmbeddedPolicy>> load_policy_to_train(const TrainSettings& settings) {
  ASSIGN_OR_RETURN(auto policy, load_embedded_policy(settings));
  RETURN_IF_ERROR(add_wanted_adapters(policy->transformer(), settings.policy, settings));
  return policy;
}

Expected<std::vector<LocalLearner>> load_learners(const TrainSettings& settings,
                                                  std::span<const LearnerSettings> learners,
                                                  const RankPlace& place) {
  auto sharing = settings.table<Sharing>();
  if (sharing.what != Sharding::kNone) sharing.place = {.rank = place.rank, .size = place.size};
  std::vector<LocalLearner> loaded;
  for (const LearnerSettings& own : learners) {
    LocalLearner learner{.role = own.role};
    ASSIGN_OR_RETURN(learner.policy, load_embedded(own.policy, settings.run.threads, place));
    const Transformer& model = learner.policy->transformer();
    RETURN_IF_ERROR(add_wanted_adapters(model, own.policy, settings));
    ASSIGN_OR_RETURN(learner.trainer, EmbeddedTrainer::create(model, own.trainer, sharing));
    loaded.push_back(std::move(learner));
  }
  return loaded;
}

LoadLearners rank_loader(const RecipeType* recipe) {
  return [recipe](const std::string& toml,
                  const RankPlace& place) -> Expected<std::vector<LocalLearner>> {
    ASSIGN_OR_RETURN(const run::Config config, run::Config::parse(toml, "config.toml"));
    TrainSettings settings;
    run::Settings declared(config);
    settings.declare(declared, recipes());
    RETURN_IF_ERROR(declared.finish());
    const RecipeType* type = recipe;
    if (type == nullptr) {
      ASSIGN_OR_RETURN(type, find_recipe(settings.run.recipe));
    }
    ASSIGN_OR_RETURN(const auto learners, learners_of(*type, settings));
    return load_learners(settings, learners, place);
  };
}

}  // namespace redqueen
