// The corpus that teaches an embedded policy the three roles of EvoEnv: environments written at
// random, their problems, and reviews of sound and of wrong ones, in the words of the recipe's
// prompts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/engine/resources.h"
#include "redqueen/recipes/evoenv/evoenv_settings.h"
#include "redqueen/run/config.h"
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/synth/admission/prompt_template.h"
#include "redqueen/synth/admission/review.h"
#include "redqueen/text/text_pair.h"

namespace redqueen::evoenv {

// The [evoenv_corpus] table.
struct EnvironmentCorpusSettings {
  double broken_share = 0.2;   // of the environments that a generator learns to write
  double seed_share = 0.5;     // of the examples before them; the others are written, too
  int targets = 4;             // environments that are learnt behind one prompt
  double solved_share = 1.0;   // of the sound environments, some problems of which are solved
  int problems = 2;            // of one of those, per level
  double seed_problems = 0.5;  // problems of the seeds to solve, per environment
  double review_share = 0.5;   // reviews per environment

  // Names every field; see run/config.h.
  void declare(run::Settings& settings);
};

// The texts around the roles.
struct EnvironmentCorpusTexts {
  synth::PromptTemplate generator;
  synth::PromptTemplate review;
  PromptFormat text;               // of both
  PromptFormat solver;             // of problems
  std::vector<std::string> seeds;  // sources
};

// Reads the texts that the recipe reads.
Expected<EnvironmentCorpusTexts> load_corpus_texts(const EvoEnvSettings& evoenv,
                                                   std::string_view solver_format,
                                                   const Resources& resources);

struct EnvironmentCorpusOptions {
  EnvironmentCorpusSettings settings;
  std::vector<int> levels{0, 1, 2};  // of problems to solve
  int environments = 500;
  std::uint64_t first = 0;    // index of the first: corpora of disjoint ranges share no address
  int examples = 2;           // in a generator prompt
  synth::ReviewLimits shown;  // in a review prompt
};

// Per environment: its source behind a generator prompt; for a share of the sound ones, problems of
// it solved; for a share, a problem of a seed solved, and a review of another one, accepted or, in
// half of the cases, rejected for the defect written into it. Reviews show no probes. The same
// pairs for the same arguments.
Expected<std::vector<TextPair>> environment_corpus(sandbox::Sandbox& sandbox,
                                                   const EnvironmentCorpusTexts& texts,
                                                   const EnvironmentCorpusOptions& options);

}  // namespace redqueen::evoenv
