// The interface by which the program knows a training method, and what every one of them is given.
// The list of those that this program has is in recipes.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
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
  std::vector<SamplingDemand> calls = {};  // RecipeType::calls
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
  std::string_view summary;  // for the help of that setting, half a sentence
  Expected<std::vector<TextPair>> (*make)(const CorpusRequest& request);
};

// A training method as settings, training, evaluation and reports see it. Each recipe derives a
// class in its folder and overrides what differs from the defaults; it must override name() and
// make(). Instances have no state: recipes() (recipes.h) lists one of each, for the whole program.
class RecipeType {
 public:
  RecipeType() = default;
  RecipeType(const RecipeType&) = delete;
  RecipeType& operator=(const RecipeType&) = delete;
  virtual ~RecipeType() = default;

  // Returns the value of run.recipe that chooses this recipe.
  [[nodiscard]] virtual std::string_view name() const = 0;

  // Declares the fields of the recipe's own tables, train.table<…>(). Default: it has none.
  virtual void declare(TrainSettings& /*train*/, run::Settings& /*settings*/) const {}

  // Checks the settings before a policy is loaded. Default: accepts all.
  [[nodiscard]] virtual Status check(const TrainSettings& /*settings*/,
                                     const Engine& /*engine*/) const {
    return {};
  }

  // Returns the policies that a run trains, each for the groups of its role. The first one also
  // plays the roles of no other, and is the one that is evaluated. LearnerSettings::calls is left
  // empty: learners_of() fills it. Default: one for all roles, by settings.policy and
  // settings.trainer.
  [[nodiscard]] virtual std::vector<LearnerSettings> learners(const TrainSettings& settings) const;

  // Returns the calls that the recipe makes of the policy of a learner, at their largest and the
  // main one first, for the plan of memory. prompt_tokens = 0: a prompt is a problem of the suite.
  // Default: one call of batch.sampled_prompts prompts with batch.rollouts responses each.
  [[nodiscard]] virtual std::vector<SamplingDemand> calls(const TrainSettings& settings,
                                                          std::string_view role) const;

  // Makes the recipe for one run. The settings have passed check().
  [[nodiscard]] virtual Expected<std::unique_ptr<Recipe>> make(
      const RecipeContext& context) const = 0;

  // Returns the charts in which a report draws the recipe's own metrics and items. Default: none; a
  // report then draws one chart a metric, folded away.
  [[nodiscard]] virtual std::vector<run::ChartRecord> charts() const { return {}; }

  // Returns Python sources that most of the recipe's programs begin with; the sandbox compiles them
  // once. Default: none.
  [[nodiscard]] virtual std::vector<std::string> preludes() const { return {}; }

  // Returns the environments whose making or scoring the recipe's settings decide. Every engine has
  // them, whichever recipe trains. Default: none.
  [[nodiscard]] virtual std::vector<EnvironmentSource> environments(
      const TrainSettings& /*settings*/, const Resources& /*resources*/) const {
    return {};
  }

  // Returns the recipe's texts for a warm start. Default: none, and warm_start.corpus cannot name
  // this recipe.
  [[nodiscard]] virtual std::optional<RecipeCorpus> corpus() const { return std::nullopt; }
};

// Returns a call with settings.sampling, of problems of the suite.
SamplingDemand sampling_call(const TrainSettings& settings, std::int64_t prompts,
                             std::int64_t rollouts);

// Returns how many tokens a limit in bytes is planned as: prose and code have some four bytes a
// token.
constexpr std::int64_t tokens_of_bytes(std::int64_t bytes) { return bytes / 4; }

}  // namespace redqueen
