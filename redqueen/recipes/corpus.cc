#include "redqueen/recipes/corpus.h"

#include <array>

#include "redqueen/recipes/azr/program_corpus.h"
#include "redqueen/recipes/evoenv/environment_corpus.h"
#include "redqueen/recipes/evoenv/evoenv_files.h"
#include "redqueen/recipes/warm_start.h"

namespace redqueen {
namespace {

// How many problems of each kind a corpus has, and where they begin: corpora of disjoint ranges share none.
struct CorpusRange {
  int problems = 0;
  std::uint64_t first = 0;
};

struct CorpusEntry {
  std::string_view name;
  Expected<std::vector<TextPair>> (*make)(const TrainSettings& settings, SandboxService& sandbox,
                                          const CorpusRange& range, Progress& progress);
};

Expected<std::vector<TextPair>> suite_pairs(const TrainSettings& settings, SandboxService&,
                                            const CorpusRange& range, Progress& progress) {
  const WarmStartSettings& warm = settings.warm_start;
  const auto suite = load_suite(warm.suite.empty() ? settings.suite : warm.suite);
  if (!suite) return tl::make_unexpected(suite.error());
  if (!suite->missing.empty()) progress.note(missing_warning(*suite));
  const auto format = PromptFormat::parse(settings.policy.prompt_format);
  if (!format) return tl::make_unexpected(format.error());
  return reference_corpus(
      *suite, {.levels = warm.levels, .problems = range.problems, .first = range.first}, *format);
}

Expected<std::vector<TextPair>> azr_pairs(const TrainSettings& settings, SandboxService& service,
                                          const CorpusRange& range, Progress&) {
  const auto format = PromptFormat::parse(settings.policy.prompt_format);
  if (!format) return tl::make_unexpected(format.error());
  const auto prompts = PromptSet::load(settings.azr.prompts_folder());
  if (!prompts) return tl::make_unexpected(prompts.error());
  const auto sandbox = service.get();
  if (!sandbox) return tl::make_unexpected(sandbox.error());
  std::vector<TextPair> pairs;
  for (Lesson& lesson : program_corpus(**sandbox, *prompts, *format,
                                       {.levels = settings.warm_start.levels,
                                       .problems = range.problems,
                                       .first = range.first,
                                       .references = settings.azr.references,
                                       .inputs = settings.azr.inputs}))
    pairs.push_back(std::move(lesson.pair));
  return pairs;
}

Expected<std::vector<TextPair>> evoenv_pairs(const TrainSettings& settings, SandboxService& service,
                                             const CorpusRange& range, Progress&) {
  const EvoEnvSettings& evoenv = settings.evoenv;
  const auto texts = load_corpus_texts(evoenv, settings.policy.prompt_format);
  if (!texts) return tl::make_unexpected(texts.error());
  const auto sandbox = service.get();
  if (!sandbox) return tl::make_unexpected(sandbox.error());
  return environment_corpus(**sandbox, *texts,
                            {.settings = settings.evoenv_corpus,
                             .levels = settings.warm_start.levels,
                             .environments = range.problems,
                             .first = range.first,
                             .examples = evoenv.examples,
                             .shown = evoenv.review_limits});
}

constexpr std::array kCorpora{CorpusEntry{"suite", suite_pairs}, CorpusEntry{"azr", azr_pairs},
                              CorpusEntry{"evoenv", evoenv_pairs}};

Expected<std::vector<TextPair>> make_pairs(const TrainSettings& settings, SandboxService& sandbox,
                                           const CorpusRange& range, Progress& progress) {
  for (const CorpusEntry& entry : kCorpora) {
    if (entry.name == settings.warm_start.corpus)
      return entry.make(settings, sandbox, range, progress);
  }
  return usage_error("there is no corpus \"{}\"", settings.warm_start.corpus);
}

}  // namespace

Expected<Corpus> make_corpus(const TrainSettings& settings, SandboxService& sandbox,
                             Progress& progress) {
  const WarmStartSettings& warm = settings.warm_start;
  auto pairs = make_pairs(settings, sandbox, {.problems = warm.problems}, progress);
  if (!pairs) return tl::make_unexpected(pairs.error());
  auto held_out = make_pairs(
      settings, sandbox,
      {.problems = warm.held_out, .first = static_cast<std::uint64_t>(warm.problems)}, progress);
  if (!held_out) return tl::make_unexpected(held_out.error());
  return Corpus{std::move(*pairs), std::move(*held_out)};
}

Expected<std::vector<std::string>> tokenizer_texts(const TrainSettings& settings,
                                                   SandboxService& sandbox, Progress& progress) {
  const auto pairs =
      make_pairs(settings, sandbox, {.problems = settings.model.tokenizer_problems}, progress);
  if (!pairs) return tl::make_unexpected(pairs.error());
  std::vector<std::string> texts;
  for (const TextPair& pair : *pairs) texts.push_back(pair.prompt + pair.target);
  return texts;
}

}  // namespace redqueen
