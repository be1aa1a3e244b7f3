#include "redqueen/recipes/evoenv/evoenv_recipe.h"

#include <algorithm>

#include "redqueen/recipes/evoenv/environment_corpus.h"
#include "redqueen/recipes/evoenv/evoenv.h"
#include "redqueen/recipes/evoenv/evoenv_charts.h"
#include "redqueen/recipes/evoenv/evoenv_settings.h"
#include "redqueen/synth/harness/harness.h"

namespace redqueen::evoenv {
namespace {

// The policy writes the environments that it trains on.
class EvoEnvRecipe final : public RecipeType {
 public:
  std::string_view name() const override { return "evoenv"; }

  void declare(TrainSettings& train, run::Settings& settings) const override {
    train.table<EvoEnvSettings>().declare(settings);
    train.table<EnvironmentCorpusSettings>().declare(settings);
  }

  Status check(const TrainSettings& settings, const Engine& engine) const override {
    return check_evoenv(settings, engine);
  }

  std::vector<SamplingDemand> calls(const TrainSettings& settings,
                                    std::string_view role) const override;

  Expected<std::unique_ptr<Recipe>> make(const RecipeContext& context) const override {
    return make_evoenv(context);
  }

  std::vector<run::ChartRecord> charts() const override { return evoenv_charts(); }
  std::vector<std::string> preludes() const override { return synth::harness_preludes(); }
  std::optional<RecipeCorpus> corpus() const override;
};

// Environments written at random, problems of them, and reviews.
Expected<std::vector<TextPair>> make_corpus(const CorpusRequest& request) {
  const auto& evoenv = request.settings.table<EvoEnvSettings>();
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

// The solver, the generator and the reviewer. A source that is shown is a seed's, or was written by
// the generator.
std::vector<SamplingDemand> EvoEnvRecipe::calls(const TrainSettings& settings,
                                                std::string_view /*role*/) const {
  constexpr std::int64_t kTemplateBytes = 8192, kHintBytes = 8192, kSeedBytes = 8192;
  const auto& evoenv = settings.table<EvoEnvSettings>();
  const std::int64_t seed = std::min<std::int64_t>(evoenv.longest_seed, kSeedBytes);
  const std::int64_t source = std::min<std::int64_t>(
      std::max<std::int64_t>(evoenv.generator_tokens, tokens_of_bytes(seed)),
      tokens_of_bytes(static_cast<std::int64_t>(evoenv.validation.longest_source)));
  SamplingDemand solver = sampling_call(settings, settings.batch.prompts, settings.batch.rollouts);
  solver.prompt_tokens =
      tokens_of_bytes(static_cast<std::int64_t>(evoenv.validation.longest_prompt));
  SamplingDemand generator = sampling_call(settings, evoenv.generator_prompts, evoenv.candidates);
  generator.prompt_tokens =
      tokens_of_bytes(kTemplateBytes + (evoenv.hints ? kHintBytes : 0)) + evoenv.examples * source;
  generator.response_tokens = evoenv.generator_tokens;
  generator.limit = "evoenv.generator_tokens";
  std::vector<SamplingDemand> all{solver, generator};
  if (!evoenv.review) return all;
  const synth::ReviewLimits& shown = evoenv.review_limits;
  SamplingDemand reviewer =
      sampling_call(settings, std::int64_t{evoenv.generator_prompts} * evoenv.candidates,
                    evoenv.reviewing.samples);
  const std::size_t case_bytes =
      shown.problems * 3 * shown.longest + shown.probes * shown.longest_answer;
  reviewer.prompt_tokens =
      source + tokens_of_bytes(kTemplateBytes + static_cast<std::int64_t>(case_bytes));
  reviewer.response_tokens = evoenv.reviewing.max_new_tokens;
  reviewer.greedy = evoenv.reviewing.temperature == 0;
  reviewer.limit = "evoenv.review_tokens";
  reviewer.trained = false;
  all.push_back(reviewer);
  return all;
}

std::optional<RecipeCorpus> EvoEnvRecipe::corpus() const {
  return RecipeCorpus{.summary = "environments written at random", .make = make_corpus};
}

}  // namespace

const RecipeType& evoenv_recipe() {
  static const EvoEnvRecipe kRecipe;
  return kRecipe;
}

}  // namespace redqueen::evoenv
