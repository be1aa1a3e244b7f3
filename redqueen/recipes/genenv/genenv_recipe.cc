#include "redqueen/recipes/genenv/genenv_recipe.h"

#include <cmath>
#include <iterator>

#include "redqueen/recipes/genenv/genenv.h"
#include "redqueen/recipes/genenv/genenv_charts.h"
#include "redqueen/recipes/genenv/genenv_settings.h"
#include "redqueen/recipes/genenv/task_prompts.h"
#include "redqueen/suites/reference_corpus.h"
#include "redqueen/suites/suite.h"

namespace redqueen::genenv {
namespace {

// An agent and an environment policy train each other.
class GenEnvRecipe final : public RecipeType {
 public:
  std::string_view name() const override { return "genenv"; }

  void declare(TrainSettings& train, run::Settings& settings) const override {
    train.table<GenEnvSettings>().declare(settings);
  }

  Status check(const TrainSettings& settings, const Engine& engine) const override {
    return check_genenv(settings, engine);
  }

  std::vector<LearnerSettings> learners(const TrainSettings& settings) const override {
    return genenv_learners(settings);
  }

  std::vector<SamplingDemand> calls(const TrainSettings& settings,
                                    std::string_view role) const override;

  Expected<std::unique_ptr<Recipe>> make(const RecipeContext& context) const override {
    return make_genenv(context);
  }

  std::vector<run::ChartRecord> charts() const override { return genenv_charts(); }
  std::optional<RecipeCorpus> corpus() const override;
};

// Both roles: solved problems of the warm start's levels for the agent, and for the environment
// policy as many descriptions as there are problems of one level.
Expected<std::vector<TextPair>> make_corpus(const CorpusRequest& request) {
  const TrainSettings& settings = request.settings;
  const WarmStartSettings& warm = settings.warm_start;
  const auto& genenv = settings.table<GenEnvSettings>();
  ASSIGN_OR_RETURN(const Suite suite,
                   request.engine.load_suite(warm.suite.empty() ? settings.suite : warm.suite));
  ASSIGN_OR_RETURN(const PromptFormat format, settings.problem_format());
  ASSIGN_OR_RETURN(const PromptFormat text_format, PromptFormat::parse(genenv.text_format));
  ASSIGN_OR_RETURN(const TaskPrompts prompts,
                   TaskPrompts::load(genenv, request.engine.resources()));
  std::vector<TextPair> pairs = reference_corpus(
      suite, {.levels = warm.levels, .problems = request.problems, .first = request.first}, format);
  const TaskBuilder builder(suite.environments, {.max_level = genenv.max_level}, format);
  const auto kinds = static_cast<int>(suite.environments.size());
  ASSIGN_OR_RETURN(auto described,
                   task_corpus(prompts, builder, text_format,
                               {.pairs = request.problems * kinds,
                                .first = request.first * static_cast<std::uint64_t>(kinds)}));
  std::ranges::move(described, std::back_inserter(pairs));
  return pairs;
}

// Attempts of the agent, descriptions of the environment policy, or both of one policy. A
// description that explores has a prompt of its own.
std::vector<SamplingDemand> GenEnvRecipe::calls(const TrainSettings& settings,
                                                std::string_view role) const {
  const auto& genenv = settings.table<GenEnvSettings>();
  const std::int64_t fresh = std::int64_t{genenv.seeds} * genenv.variations;
  const double tasks = static_cast<double>(fresh) * (1 + genenv.old_share + genenv.base_share);
  SamplingDemand agent =
      sampling_call(settings, static_cast<std::int64_t>(std::ceil(tasks)), genenv.attempts);
  agent.prompt_tokens = tokens_of_bytes(genenv.max_prompt_bytes);
  const bool once = genenv.task_source() == TaskSource::kStatic;
  SamplingDemand writer = sampling_call(
      settings, once ? std::int64_t{genenv.static_seeds} * genenv.static_variations : fresh, 1);
  constexpr std::int64_t kTemplateBytes = 2048;
  writer.prompt_tokens = tokens_of_bytes(kTemplateBytes + genenv.max_prompt_bytes);
  writer.response_tokens = genenv.environment.max_new_tokens;
  writer.greedy = genenv.environment.temperature == 0;
  writer.limit = "genenv.environment.max_new_tokens";
  if (role == kAgentRole) return {agent};
  if (role == kEnvironmentRole) return {writer};
  return {agent, writer};
}

std::optional<RecipeCorpus> GenEnvRecipe::corpus() const {
  return RecipeCorpus{.summary = "solved problems, and descriptions of tasks", .make = make_corpus};
}

}  // namespace

const RecipeType& genenv_recipe() {
  static const GenEnvRecipe kRecipe;
  return kRecipe;
}

}  // namespace redqueen::genenv
