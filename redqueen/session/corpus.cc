#include "redqueen/session/corpus.h"

#include "redqueen/recipes/recipes.h"
#include "redqueen/suites/reference_corpus.h"

namespace redqueen {
namespace {

// Reference answers of the environments of a suite.
Expected<std::vector<TextPair>> suite_pairs(const CorpusRequest& request) {
  const TrainSettings& settings = request.settings;
  const WarmStartSettings& warm = settings.warm_start;
  ASSIGN_OR_RETURN(const Suite suite,
                   request.engine.load_suite(warm.suite.empty() ? settings.suite : warm.suite));
  if (!suite.missing.empty()) request.progress.note(missing_warning(suite));
  ASSIGN_OR_RETURN(const PromptFormat format, PromptFormat::parse(settings.policy.prompt_format));
  return reference_corpus(
      suite, {.levels = warm.levels, .problems = request.problems, .first = request.first}, format);
}

Expected<std::vector<TextPair>> make_pairs(const CorpusRequest& request) {
  const std::string& name = request.settings.warm_start.corpus;
  if (name == "suite") return suite_pairs(request);
  const auto recipe = find_recipe(name);
  const auto corpus = recipe ? (*recipe)->corpus() : std::nullopt;
  if (!corpus) return usage_error("there is no corpus \"{}\"", name);
  return corpus->make(request);
}

}  // namespace

Expected<Corpus> make_corpus(const Engine& engine, const TrainSettings& settings,
                             run::Progress& progress) {
  const WarmStartSettings& warm = settings.warm_start;
  Corpus corpus;
  ASSIGN_OR_RETURN(corpus.pairs, make_pairs({settings, engine, progress, warm.problems}));
  ASSIGN_OR_RETURN(corpus.held_out, make_pairs({settings, engine, progress, warm.held_out,
                                                static_cast<std::uint64_t>(warm.problems)}));
  return corpus;
}

Expected<std::vector<std::string>> tokenizer_texts(const Engine& engine,
                                                   const TrainSettings& settings,
                                                   run::Progress& progress) {
  ASSIGN_OR_RETURN(const auto pairs,
                   make_pairs({settings, engine, progress, settings.model.tokenizer_problems}));
  std::vector<std::string> texts;
  for (const TextPair& pair : pairs) texts.push_back(pair.prompt + pair.target);
  return texts;
}

}  // namespace redqueen
