#include "redqueen/recipes/evoenv/evoenv_recipe.h"

#include "redqueen/recipes/evoenv/environment_corpus.h"
#include "redqueen/recipes/evoenv/evoenv.h"
#include "redqueen/recipes/evoenv/evoenv_charts.h"
#include "redqueen/recipes/evoenv/evoenv_settings.h"
#include "redqueen/synth/harness/harness.h"

namespace redqueen::evoenv {
namespace {

void declare(TrainSettings& train, run::Settings& settings) {
  train.table<EvoEnvSettings>().declare(settings);
  train.table<EnvironmentCorpusSettings>().declare(settings);
}

// Environments written at random, problems of them, and reviews.
Expected<std::vector<TextPair>> make_corpus(const CorpusRequest& request) {
  const EvoEnvSettings& evoenv = request.settings.table<EvoEnvSettings>();
  ASSIGN_OR_RETURN(
      const EnvironmentCorpusTexts texts,
      load_corpus_texts(evoenv, request.settings.policy.prompt_format, request.engine.resources()));
  ASSIGN_OR_RETURN(sandbox::Sandbox * sandbox, request.engine.sandbox()->get());
  return environment_corpus(*sandbox, texts,
                            {.settings = request.settings.table<EnvironmentCorpusSettings>(),
                             .levels = request.settings.warm_start.levels,
                             .environments = request.problems,
                             .first = request.first,
                             .examples = evoenv.examples,
                             .shown = evoenv.review_limits});
}

}  // namespace

RecipeEntry evoenv_recipe() {
  return {
      .name = "evoenv",
      .summary = "the policy writes the environments that it trains on",
      .declare = declare,
      .check = check_evoenv,
      .make = make_evoenv,
      .charts = evoenv_charts,
      .preludes = synth::harness_preludes,
      .corpus = {.summary = "environments written at random", .make = make_corpus},
  };
}

}  // namespace redqueen::evoenv
