#include "redqueen/recipes/evoenv/environment_corpus.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "redqueen/core/batch.h"
#include "redqueen/core/completion.h"
#include "redqueen/recipes/evoenv/evoenv_files.h"
#include "redqueen/synth/admission/generator_prompt.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/synth/writer/environment_writer.h"

namespace redqueen::evoenv {
namespace {

// Salts of warm starts are odd: evaluation has 0.
std::uint64_t corpus_salt() { return hash_name("warm start") | 1; }

Rng rng_at(std::string_view purpose, std::uint64_t index) {
  return Rng({.seed = corpus_salt(), .purpose = hash_name(purpose), .index = index});
}

// --- the generator ------------------------------------------------------------------------------

std::vector<std::string> draw_examples(std::span<const std::string> seeds, int count,
                                       double seed_share, Rng& rng) {
  std::vector<std::string> examples;
  std::vector<std::size_t> left(seeds.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  rng.shuffle(left);
  while (std::ssize(examples) < count) {
    if (!left.empty() && rng.chance(seed_share)) {
      examples.push_back(seeds[left.back()]);
      left.pop_back();
    } else {
      examples.push_back(synth::write_environment(rng).source);
    }
  }
  return examples;
}

// The rest of a response whose fence the prompt may have opened.
std::string code_completion(std::string_view prompt, std::string_view source) {
  constexpr std::string_view kFence = "```python\n";
  return fmt::format("{}{}```", prompt.ends_with(kFence) ? "" : kFence, source);
}

Expected<std::vector<TextPair>> generator_pairs(
    std::span<const synth::WrittenEnvironment> environments, const EnvironmentCorpusTexts& texts,
    const EnvironmentCorpusOptions& options) {
  const std::uint64_t targets = options.settings.targets;
  std::vector<TextPair> pairs;
  for (std::size_t i = 0; i < environments.size(); ++i) {
    Rng rng = rng_at("examples", (options.first + i) / targets);
    const auto examples =
        draw_examples(texts.seeds, options.examples, options.settings.seed_share, rng);
    ASSIGN_OR_RETURN(const auto prompt, generator_prompt(texts.generator, {.examples = examples}));
    pairs.push_back({texts.text.render(prompt), code_completion(prompt, environments[i].source)});
  }
  return pairs;
}

// --- the solver ---------------------------------------------------------------------------------

using EnvironmentPtr = std::unique_ptr<const synth::PythonEnvironment>;

// Problems of the seeds, which the solver meets from the first step on.
void request_seed_problems(std::span<const EnvironmentPtr> seeds,
                           const EnvironmentCorpusOptions& options,
                           std::vector<ProblemRequest>& requests) {
  if (seeds.empty() || options.levels.empty()) return;
  for (int i = 0; i < options.environments; ++i) {
    const std::uint64_t index = options.first + i;
    Rng rng = rng_at("seed problem", index);
    if (!rng.chance(options.settings.seed_problems)) continue;
    const EnvironmentPtr& seed = rng.choice(seeds);
    requests.push_back({seed.get(), rng.choice(options.levels), index, corpus_salt()});
  }
}

std::vector<TextPair> solver_pairs(sandbox::Sandbox& sandbox,
                                   std::span<const synth::WrittenEnvironment> environments,
                                   const EnvironmentCorpusTexts& texts,
                                   const EnvironmentCorpusOptions& options) {
  std::vector<EnvironmentPtr> made;
  std::vector<ProblemRequest> requests;
  for (const std::string& seed : texts.seeds)
    made.push_back(std::make_unique<const synth::PythonEnvironment>(seed, sandbox));
  request_seed_problems(made, options, requests);
  for (std::size_t i = 0; i < environments.size(); ++i) {
    const synth::WrittenEnvironment& written = environments[i];
    if (written.defect != synth::Defect::kNone) continue;
    if (!rng_at("solved", options.first + i).chance(options.settings.solved_share)) continue;
    made.push_back(std::make_unique<const synth::PythonEnvironment>(written.source, sandbox));
    for (const int level : options.levels) {
      for (int k = 0; k < options.settings.problems; ++k) {
        requests.push_back(
            {made.back().get(), level, static_cast<std::uint64_t>(k), corpus_salt()});
      }
    }
  }
  std::vector<TextPair> pairs;
  for (const auto& problem : generate_all(requests)) {
    if (!problem) continue;
    pairs.push_back({texts.solver.render((*problem)->prompt()),
                     completion_for((*problem)->reference(), texts.solver)});
  }
  return pairs;
}

// --- the reviewer -------------------------------------------------------------------------------

// A defect that lets problems be made. Reading alone finds a wrong reference: such ones come to
// review most often.
synth::Defect reviewed_defect(Rng& rng) {
  constexpr std::array kOthers{synth::Defect::kAcceptsAnything, synth::Defect::kLeak,
                               synth::Defect::kConstant, synth::Defect::kIgnoresDifficulty};
  if (rng.chance(0.5)) return synth::Defect::kNone;
  if (rng.chance(0.75)) return synth::Defect::kWrongReference;
  return rng.choice(kOthers);
}

std::string verdict_on(synth::Defect defect) {
  switch (defect) {
    case synth::Defect::kNone:
      return "VERDICT: ACCEPT";
    case synth::Defect::kAcceptsAnything:
      return "VERDICT: REJECT The scorer accepts every answer.";
    case synth::Defect::kLeak:
      return "VERDICT: REJECT The prompt tells the answer.";
    case synth::Defect::kConstant:
      return "VERDICT: REJECT The answer is always the same.";
    case synth::Defect::kIgnoresDifficulty:
      return "VERDICT: REJECT The difficulty changes nothing.";
    default:
      return "VERDICT: REJECT The answer is not what the prompt asks for.";
  }
}

synth::ReviewCase review_case(const synth::WrittenEnvironment& written,
                              std::span<const ProblemPtr> problems) {
  synth::ReviewCase subject{.source = written.source};
  for (const ProblemPtr& problem : problems) {
    const Json parameter = problem->parameter();
    subject.problems.push_back({.level = parameter.value("level", std::int64_t{0}),
                                .prompt = problem->prompt(),
                                .reference = problem->reference(),
                                .state = dump_json(parameter.at("state"))});
  }
  return subject;
}

std::vector<synth::WrittenEnvironment> draw_reviewed(const EnvironmentCorpusOptions& options) {
  std::vector<synth::WrittenEnvironment> reviewed;
  for (int i = 0; i < options.environments; ++i) {
    Rng rng = rng_at("review", options.first + i);
    if (!rng.chance(options.settings.review_share)) continue;
    const synth::Defect defect = reviewed_defect(rng);
    reviewed.push_back(write_environment(rng, defect));
  }
  return reviewed;
}

Expected<std::vector<TextPair>> review_pairs(sandbox::Sandbox& sandbox,
                                             const EnvironmentCorpusTexts& texts,
                                             const EnvironmentCorpusOptions& options) {
  const auto reviewed = draw_reviewed(options);
  const std::size_t shown = std::min(options.shown.problems, options.levels.size());
  std::vector<EnvironmentPtr> made;
  std::vector<ProblemRequest> requests;
  for (const synth::WrittenEnvironment& written : reviewed) {
    made.push_back(std::make_unique<const synth::PythonEnvironment>(written.source, sandbox));
    for (std::size_t k = 0; k < shown; ++k)
      requests.push_back({made.back().get(), options.levels[k], k, corpus_salt()});
  }
  auto problems = generate_all(requests);
  std::vector<TextPair> pairs;
  for (std::size_t i = 0; i < reviewed.size(); ++i) {
    std::vector<ProblemPtr> own;
    for (std::size_t k = 0; k < shown; ++k) {
      if (auto& problem = problems[i * shown + k]) own.push_back(std::move(*problem));
    }
    if (own.size() < shown) continue;
    ASSIGN_OR_RETURN(auto prompt,
                     review_prompt(texts.review, review_case(reviewed[i], own), options.shown));
    pairs.push_back({texts.text.render(prompt), verdict_on(reviewed[i].defect)});
  }
  return pairs;
}

}  // namespace

void EnvironmentCorpusSettings::declare(run::Settings& settings) {
  run::Section section =
      settings.section("evoenv_corpus", "The corpus evoenv of a warm start (warm_start.corpus).");
  section.field("broken_share", broken_share,
                {.help = "Of the environments written, so that every layer has its cases.",
                 .min = 0,
                 .max = 1});
  section.field("seed_share", seed_share,
                {.help = "Of the examples in a generator prompt; the others are written ones.",
                 .min = 0,
                 .max = 1});
  section.field("targets", targets,
                {.help = "Environments learnt behind one generator prompt.", .min = 1});
  section.field("solved_share", solved_share,
                {.help = "Of the sound environments, those of which problems are solved.",
                 .min = 0,
                 .max = 1});
  section.field("problems", problems,
                {.help = "To solve, per such environment and level.", .min = 0});
  section.field("seed_problems", seed_problems,
                {.help = "Problems of the seeds to solve, per environment.", .min = 0, .max = 1});
  section.field("review_share", review_share,
                {.help = "Reviews per environment.", .min = 0, .max = 1});
}

Expected<EnvironmentCorpusTexts> load_corpus_texts(const EvoEnvSettings& evoenv,
                                                   std::string_view solver_format,
                                                   const Resources& resources) {
  const auto prompts = resources.given_or_found(evoenv.prompts);
  ASSIGN_OR_RETURN(auto generator, synth::PromptTemplate::load(prompts / "generator.txt"));
  ASSIGN_OR_RETURN(auto review, synth::PromptTemplate::load(prompts / "review.txt"));
  ASSIGN_OR_RETURN(auto text, PromptFormat::parse(evoenv.text_format));
  ASSIGN_OR_RETURN(auto solver, PromptFormat::parse(solver_format));
  ASSIGN_OR_RETURN(const auto seeds,
                   read_seeds(resources.given_or_found(evoenv.seeds), evoenv.longest_seed));
  EnvironmentCorpusTexts texts{
      std::move(generator), std::move(review), std::move(text), std::move(solver), {}};
  for (const auto& [name, source] : seeds) texts.seeds.push_back(source);
  return texts;
}

Expected<std::vector<TextPair>> environment_corpus(sandbox::Sandbox& sandbox,
                                                   const EnvironmentCorpusTexts& texts,
                                                   const EnvironmentCorpusOptions& options) {
  std::vector<synth::WrittenEnvironment> environments;
  for (int i = 0; i < options.environments; ++i) {
    Rng rng = rng_at("environment", options.first + i);
    environments.push_back(synth::write_environment_or_broken(rng, options.settings.broken_share));
  }
  auto pairs = generator_pairs(environments, texts, options);
  if (!pairs) return pairs;
  auto reviews = review_pairs(sandbox, texts, options);
  if (!reviews) return reviews;
  auto solved = solver_pairs(sandbox, environments, texts, options);
  std::move(solved.begin(), solved.end(), std::back_inserter(*pairs));
  std::move(reviews->begin(), reviews->end(), std::back_inserter(*pairs));
  return pairs;
}

}  // namespace redqueen::evoenv
