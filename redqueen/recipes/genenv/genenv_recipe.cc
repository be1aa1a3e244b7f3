#include "redqueen/recipes/genenv/genenv_recipe.h"

#include <iterator>

#include "redqueen/recipes/genenv/genenv.h"
#include "redqueen/recipes/genenv/genenv_charts.h"
#include "redqueen/recipes/genenv/genenv_settings.h"
#include "redqueen/recipes/genenv/task_prompts.h"
#include "redqueen/suites/reference_corpus.h"
#include "redqueen/suites/suite.h"

namespace redqueen::genenv {
namespace {

// Both roles: solved problems of the warm start's levels for the agent, and for the environment
// policy as many descriptions as there are problems of one level.
Expected<std::vector<TextPair>> make_corpus(const CorpusRequest& request) {
  const TrainSettings& settings = request.settings;
  const WarmStartSettings& warm = settings.warm_start;
  const GenEnvSettings& genenv = settings.table<GenEnvSettings>();
  ASSIGN_OR_RETURN(const Suite suite,
                   request.engine.load_suite(warm.suite.empty() ? settings.suite : warm.suite));
  ASSIGN_OR_RETURN(const PromptFormat format, PromptFormat::parse(settings.policy.prompt_format));
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

}  // namespace

RecipeEntry genenv_recipe() {
  return {
      .name = "genenv",
      .summary = "an agent and an environment policy train each other",
      .declare = [](TrainSettings& train,
                    run::Settings& settings) { train.table<GenEnvSettings>().declare(settings); },
      .learners = genenv_learners,
      .check = check_genenv,
      .make = [](const RecipeContext& context) { return make_genenv(context); },
      .charts = genenv_charts,
      .corpus = {.summary = "solved problems, and descriptions of tasks", .make = make_corpus},
  };
}

}  // namespace redqueen::genenv
