// Lists the training methods by name, with the settings, charts and corpora that each brings along.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/engine/engine.h"
#include "redqueen/policy/policy.h"
#include "redqueen/recipes/recipe.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/chart_record.h"
#include "redqueen/run/progress.h"
#include "redqueen/text/text_pair.h"
#include "redqueen/train/sampling_demand.h"

namespace redqueen {

// The objects that a recipe works with. They outlive the recipe.
struct RecipeContext {
  const TrainSettings& settings;
  Policy& policy;  // sampled from in every step; the trainer changes its weights in place
  const Engine& engine;
  std::filesystem::path run;  // the run's folder, for what is kept as files
  run::Progress& progress;
  // The policies that play and learn single roles; `policy` plays all others.
  std::map<std::string, Policy*, std::less<>> roles = {};

  Policy& policy_of(std::string_view role) const {
    const auto found = roles.find(role);
    return found == roles.end() ? policy : *found->second;
  }
};

// A policy that a run trains, and how.
struct LearnerSettings {
  std::string role;  // as in ScoredGroup::role; empty: it learns all roles
  PolicySettings policy;
  TrainerOptions trainer;
  std::vector<SamplingDemand> calls = {};  // RecipeEntry::calls
};

// A warm start asks this of a corpus. Corpora of disjoint ranges [first, first + problems) share
// no problem.
struct CorpusRequest {
  const TrainSettings& settings;
  const Engine& engine;
  run::Progress& progress;
  int problems = 0;  // of each kind
  std::uint64_t first = 0;
};

// Texts for a warm start, chosen by the recipe's name (warm_start.corpus).
struct RecipeCorpus {
  std::string_view summary = "";  // for the help of that setting, half a sentence
  // Null: the recipe has none.
  Expected<std::vector<TextPair>> (*make)(const CorpusRequest& request) = nullptr;
};

// A recipe as training, evaluation and reports see it; everything else of it lies in its folder. A
// command of its own is a file of cli/ and a line in cli/command_list.h.
struct RecipeEntry {
  std::string_view name;
  std::string_view summary;
  // Declares the fields of the recipe's own tables, settings.table<…>(). Null: it has none.
  void (*declare)(TrainSettings& train, run::Settings& settings) = nullptr;
  // The policies that a run trains, each for the groups of its role. The first also plays the roles
  // of no other, and is the one that is evaluated. Null: one for all roles, by settings.policy and
  // settings.trainer.
  std::vector<LearnerSettings> (*learners)(const TrainSettings& settings) = nullptr;
  // The calls that the recipe makes of the policy of a learner, at their largest and the main one
  // first, for the plan of memory. prompt_tokens = 0: a prompt is a problem of the suite. Null: one
  // call of batch.sampled_prompts prompts.
  std::vector<SamplingDemand> (*calls)(const TrainSettings& settings,
                                       std::string_view role) = nullptr;
  // Checks the settings before a policy is loaded.
  Status (*check)(const TrainSettings& settings, const Engine& engine) = nullptr;
  Expected<std::unique_ptr<Recipe>> (*make)(const RecipeContext& context) = nullptr;
  // The charts in which a report draws the recipe's own metrics and items. Null: one chart a
  // metric, folded away.
  std::vector<run::ChartRecord> (*charts)() = nullptr;
  // Python sources that most of its programs begin with; the sandbox compiles them once. Null:
  // none.
  std::vector<std::string> (*preludes)() = nullptr;
  // The environments whose making or scoring the recipe's settings decide. Null: none.
  std::vector<EnvironmentSource> (*environments)(const TrainSettings& settings,
                                                 const Resources& resources) = nullptr;
  RecipeCorpus corpus = {};
};

// This program's, in the order of their names.
std::span<const RecipeEntry> recipes();

// By name; fails with the names that there are.
Expected<const RecipeEntry*> find_recipe(std::string_view name);

// A call with settings.sampling, of problems of the suite.
SamplingDemand sampling_call(const TrainSettings& settings, std::int64_t prompts,
                             std::int64_t rollouts);

// How many tokens a limit in bytes is planned as: prose and code have some four bytes a token.
constexpr std::int64_t tokens_of_bytes(std::int64_t bytes) { return bytes / 4; }

// The learners of a run, with the calls that are made of them. Fails unless several have roles that
// differ and can name folders.
Expected<std::vector<LearnerSettings>> learners_of(const RecipeEntry& recipe,
                                                   const TrainSettings& settings);

// settings.sandbox with the preludes of the recipes.
sandbox::SandboxConfig sandbox_config(const TrainSettings& settings,
                                      std::span<const RecipeEntry> entries = recipes());

// The options of an engine that these settings ask for, with the environments of the recipes.
EngineOptions engine_options(const TrainSettings& settings, Resources resources,
                             std::span<const RecipeEntry> entries = recipes());

}  // namespace redqueen
