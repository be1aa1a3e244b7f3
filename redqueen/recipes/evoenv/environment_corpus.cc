#include "redqueen/recipes/evoenv/environment_corpus.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "redqueen/recipes/evoenv/environment_writer.h"
#include "redqueen/recipes/evoenv/evoenv_files.h"
#include "redqueen/recipes/scoring.h"
#include "redqueen/synth/generator_prompt.h"
#include "redqueen/synth/python_environment.h"

namespace redqueen {
namespace {

// Salts of warm starts are odd: evaluation has 0.
std::uint64_t corpus_salt() { return hash_name("warm start") | 1; }

Rng rng_at(std::string_view purpose, std::uint64_t index) {
  return Rng({.seed = corpus_salt(), .purpose = hash_name(purpose), .index = index});
}

// --- the generator -------------------------------------------------------------------------------

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
      examples.push_back(write_environment(rng).source);
    }
  }
  return examples;
}

// What is left to write of a response whose fence the prompt may have opened.
std::string code_completion(std::string_view prompt, std::string_view source) {
  constexpr std::string_view kFence = "```python\n";
  return fmt::format("{}{}```", prompt.ends_with(kFence) ? "" : kFence, source);
}

Expected<std::vector<TextPair>> generator_pairs(std::span<const WrittenEnvironment> environments,
                                                const EnvironmentCorpusTexts& texts,
                                                const EnvironmentCorpusOptions& options) {
  const auto targets = static_cast<std::uint64_t>(options.settings.targets);
  std::vector<TextPair> pairs;
  for (std::size_t i = 0; i < environments.size(); ++i) {
    Rng rng = rng_at("examples", (options.first + i) / targets);
    const auto examples =
        draw_examples(texts.seeds, options.examples, options.settings.seed_share, rng);
    const auto prompt = generator_prompt(texts.generator, examples);
    if (!prompt) return tl::make_unexpected(prompt.error());
    pairs.push_back({texts.text.render(*prompt), code_completion(*prompt, environments[i].source)});
  }
  return pairs;
}

// --- the solver ----------------------------------------------------------------------------------

using EnvironmentPtr = std::unique_ptr<const PythonEnvironment>;

// Problems of the seeds, which the solver meets from the first step on.
void request_seed_problems(std::span<const EnvironmentPtr> seeds,
                           const EnvironmentCorpusOptions& options,
                           std::vector<ProblemRequest>& requests) {
  if (seeds.empty() || options.levels.empty()) return;
  for (int i = 0; i < options.environments; ++i) {
    const std::uint64_t index = options.first + static_cast<std::uint64_t>(i);
    Rng rng = rng_at("seed problem", index);
    if (!rng.chance(options.settings.seed_problems)) continue;
    const EnvironmentPtr& seed = rng.choice(seeds);
    requests.push_back({seed.get(), rng.choice(options.levels), index, corpus_salt()});
  }
}

std::vector<TextPair> solver_pairs(Sandbox& sandbox,
                                   std::span<const WrittenEnvironment> environments,
                                   const EnvironmentCorpusTexts& texts,
                                   const EnvironmentCorpusOptions& options) {
  std::vector<EnvironmentPtr> made;
  std::vector<ProblemRequest> requests;
  for (const std::string& seed : texts.seeds)
    made.push_back(std::make_unique<const PythonEnvironment>(seed, sandbox));
  request_seed_problems(made, options, requests);
  for (std::size_t i = 0; i < environments.size(); ++i) {
    const WrittenEnvironment& written = environments[i];
    if (written.defect != Defect::kNone) continue;
    if (!rng_at("solved", options.first + i).chance(options.settings.solved_share)) continue;
    made.push_back(std::make_unique<const PythonEnvironment>(written.source, sandbox));
    for (const int level : options.levels) {
      for (int k = 0; k < options.settings.problems; ++k) {
        requests.push_back(
            {made.back().get(), level, static_cast<std::uint64_t>(k), corpus_salt()});
      }
    }
  }
  std::vector<TextPair> pairs;
  for (const auto& problem : generate_problems(sandbox, requests)) {
    if (!problem) continue;
    pairs.push_back({texts.solver.render((*problem)->prompt()),
                     completion_for((*problem)->reference(), texts.solver)});
  }
  return pairs;
}

// --- the reviewer --------------------------------------------------------------------------------

// A defect that lets problems be made. Reading alone finds a wrong reference: such ones come to review most often.
Defect reviewed_defect(Rng& rng) {
  constexpr std::array kOthers{Defect::kAcceptsAnything, Defect::kLeak, Defect::kConstant,
                               Defect::kIgnoresDifficulty};
  if (rng.chance(0.5)) return Defect::kNone;
  if (rng.chance(0.75)) return Defect::kWrongReference;
  return rng.choice(kOthers);
}

std::string verdict_on(Defect defect) {
  switch (defect) {
    case Defect::kNone:
      return "VERDICT: ACCEPT";
    case Defect::kAcceptsAnything:
      return "VERDICT: REJECT The scorer accepts every answer.";
    case Defect::kLeak:
      return "VERDICT: REJECT The prompt tells the answer.";
    case Defect::kConstant:
      return "VERDICT: REJECT The answer is always the same.";
    case Defect::kIgnoresDifficulty:
      return "VERDICT: REJECT The difficulty changes nothing.";
    default:
      return "VERDICT: REJECT The answer is not what the prompt asks for.";
  }
}

ReviewCase review_case(const WrittenEnvironment& written, std::span<const ProblemPtr> problems) {
  ReviewCase subject{.source = written.source};
  for (const ProblemPtr& problem : problems) {
    const Json parameter = problem->parameter();
    subject.problems.push_back({.level = parameter.value("level", std::int64_t{0}),
                                .prompt = problem->prompt(),
                                .reference = problem->reference(),
                                .state = dump_json(parameter.at("state"))});
  }
  return subject;
}

std::vector<WrittenEnvironment> draw_reviewed(const EnvironmentCorpusOptions& options) {
  std::vector<WrittenEnvironment> reviewed;
  for (int i = 0; i < options.environments; ++i) {
    Rng rng = rng_at("review", options.first + static_cast<std::uint64_t>(i));
    if (!rng.chance(options.settings.review_share)) continue;
    const Defect defect = reviewed_defect(rng);
    reviewed.push_back(write_environment(rng, defect));
  }
  return reviewed;
}

Expected<std::vector<TextPair>> review_pairs(Sandbox& sandbox, const EnvironmentCorpusTexts& texts,
                                             const EnvironmentCorpusOptions& options) {
  const auto reviewed = draw_reviewed(options);
  const std::size_t shown = std::min(options.shown.problems, options.levels.size());
  std::vector<EnvironmentPtr> made;
  std::vector<ProblemRequest> requests;
  for (const WrittenEnvironment& written : reviewed) {
    made.push_back(std::make_unique<const PythonEnvironment>(written.source, sandbox));
    for (std::size_t k = 0; k < shown; ++k)
      requests.push_back({made.back().get(), options.levels[k], k, corpus_salt()});
  }
  auto problems = generate_problems(sandbox, requests);
  std::vector<TextPair> pairs;
  for (std::size_t i = 0; i < reviewed.size(); ++i) {
    std::vector<ProblemPtr> own;
    for (std::size_t k = 0; k < shown; ++k) {
      if (auto& problem = problems[i * shown + k]) own.push_back(std::move(*problem));
    }
    if (own.size() < shown) continue;
    auto prompt = review_prompt(texts.review, review_case(reviewed[i], own), options.shown);
    if (!prompt) return tl::make_unexpected(prompt.error());
    pairs.push_back({texts.text.render(*prompt), verdict_on(reviewed[i].defect)});
  }
  return pairs;
}

}  // namespace

void EnvironmentCorpusSettings::bind(Settings& settings) {
  Section section =
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
                                                   std::string_view solver_format) {
  const auto prompts = find_evoenv_folder(evoenv.prompts);
  auto generator = PromptTemplate::load(prompts / "generator.txt");
  if (!generator) return tl::make_unexpected(generator.error());
  auto review = PromptTemplate::load(prompts / "review.txt");
  if (!review) return tl::make_unexpected(review.error());
  auto text = PromptFormat::parse(evoenv.text_format);
  if (!text) return tl::make_unexpected(text.error());
  auto solver = PromptFormat::parse(solver_format);
  if (!solver) return tl::make_unexpected(solver.error());
  const auto seeds = read_seeds(evoenv.seeds, evoenv.longest_seed);
  if (!seeds) return tl::make_unexpected(seeds.error());
  EnvironmentCorpusTexts texts{
      std::move(*generator), std::move(*review), std::move(*text), std::move(*solver), {}};
  for (const auto& [name, source] : *seeds) texts.seeds.push_back(source);
  return texts;
}

Expected<std::vector<TextPair>> environment_corpus(Sandbox& sandbox,
                                                   const EnvironmentCorpusTexts& texts,
                                                   const EnvironmentCorpusOptions& options) {
  std::vector<WrittenEnvironment> environments;
  for (int i = 0; i < options.environments; ++i) {
    Rng rng = rng_at("environment", options.first + static_cast<std::uint64_t>(i));
    environments.push_back(write_environment_or_broken(rng, options.settings.broken_share));
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

}  // namespace redqueen
