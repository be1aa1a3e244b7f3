#include "redqueen/recipes/azr/azr_recipe.h"

#include <algorithm>

#include "redqueen/code_tasks/embedded_files.h"
#include "redqueen/code_tasks/heldout.h"
#include "redqueen/code_tasks/program_corpus.h"
#include "redqueen/recipes/azr/azr.h"
#include "redqueen/recipes/azr/azr_charts.h"
#include "redqueen/recipes/azr/azr_settings.h"

namespace redqueen::azr {
namespace {

// One policy proposes tasks about programs and solves them.
class AzrRecipe final : public RecipeType {
 public:
  std::string_view name() const override { return "azr"; }

  void declare(TrainSettings& train, run::Settings& settings) const override {
    train.table<AzrSettings>().declare(settings);
  }

  Status check(const TrainSettings& settings, const Engine& engine) const override;
  std::vector<SamplingDemand> calls(const TrainSettings& settings,
                                    std::string_view role) const override;

  Expected<std::unique_ptr<Recipe>> make(const RecipeContext& context) const override {
    return make_azr(context);
  }

  std::vector<run::ChartRecord> charts() const override { return azr_charts(); }

  std::vector<std::string> preludes() const override {
    return {std::string(code_tasks::syntax_helper_source())};
  }

  std::vector<EnvironmentSource> environments(const TrainSettings& settings,
                                              const Resources& resources) const override;
  std::optional<RecipeCorpus> corpus() const override;
};

Status AzrRecipe::check(const TrainSettings& settings, const Engine& engine) const {
  RETURN_IF_ERROR(code_tasks::PromptSet::load(
      settings.table<AzrSettings>().prompts_folder(engine.resources())));
  RETURN_IF_ERROR(settings.table<AzrSettings>().task_types());
  if (settings.advantage != AdvantageRule::kRoleTaskNormalised &&
      settings.advantage != AdvantageRule::kBatchNormalised) {
    return usage_error(
        "train.advantage: proposers write one response to a prompt, so the rules that compare "
        "responses to the same prompt teach them nothing; azr needs trr++ (the paper's, and "
        "that of --config azr-7b) or reinforce++");
  }
  return {};
}

// Random programs behind the prompts of self-play.
Expected<std::vector<TextPair>> make_corpus(const CorpusRequest& request) {
  const auto& azr = request.settings.table<AzrSettings>();
  ASSIGN_OR_RETURN(const PromptFormat format, request.settings.problem_format());
  ASSIGN_OR_RETURN(const code_tasks::PromptSet prompts,
                   code_tasks::PromptSet::load(azr.prompts_folder(request.engine.resources())));
  ASSIGN_OR_RETURN(sandbox::Sandbox * sandbox, request.engine.sandbox()->get());
  std::vector<TextPair> pairs;
  for (code_tasks::SupervisedExample& example :
       program_corpus(*sandbox, prompts, format,
                      {.levels = request.settings.warm_start.levels,
                      .problems = request.problems,
                      .first = request.first,
                      .references = azr.references,
                      .inputs = azr.inputs}))
    pairs.push_back(std::move(example.pair));
  return pairs;
}

// The environments azr/* show problems and check answers as self-play does.
std::vector<EnvironmentSource> AzrRecipe::environments(const TrainSettings& settings,
                                                       const Resources& resources) const {
  const auto& azr = settings.table<AzrSettings>();
  const code_tasks::CodeEnvironmentOptions options{.prompts = azr.prompts_folder(resources),
                                                   .solving = azr.solving()};
  return {{"azr",
           [options](const std::shared_ptr<sandbox::SandboxService>& sandbox, Registry& registry) {
             return code_tasks::add_code_environments(sandbox, options, registry);
           }}};
}

// Answers to the tasks of a type; proposals are fewer.
std::vector<SamplingDemand> AzrRecipe::calls(const TrainSettings& settings,
                                             std::string_view /*role*/) const {
  const auto& azr = settings.table<AzrSettings>();
  SamplingDemand call = sampling_call(settings, azr.tasks, std::max(azr.rollouts, azr.estimates));
  call.prompt_tokens = tokens_of_bytes(azr.max_prompt_bytes);
  return {call};
}

std::optional<RecipeCorpus> AzrRecipe::corpus() const {
  return RecipeCorpus{.summary = "random programs", .make = make_corpus};
}

}  // namespace

const RecipeType& azr_recipe() {
  static const AzrRecipe kRecipe;
  return kRecipe;
}

}  // namespace redqueen::azr
