// The [evoenv] table: EvoEnv's own numbers (its tables 8 and 9). Sizes of the solver's batch,
// sampling and optimizer are those of every recipe.
#pragma once

#include <string>
#include <vector>

#include "redqueen/run/config.h"
#include "redqueen/synth/admission/generator_reward.h"
#include "redqueen/synth/admission/review.h"
#include "redqueen/synth/admission/second_author.h"
#include "redqueen/synth/novelty/novelty.h"
#include "redqueen/synth/pool.h"
#include "redqueen/synth/validation/validation.h"

namespace redqueen::evoenv {

// The values of EvoEnvSettings::second_author that name no other policy.
inline constexpr const char* kNoSecondAuthor = "none";
inline constexpr const char* kOwnSecondAuthor = "policy";

struct EvoEnvSettings {
  std::string seeds = "evoenv/seeds";  // folder of the first environments; below configs/ or a path
  std::size_t longest_seed = 100000;   // characters; longer ones are left out
  std::string prompts = "evoenv/prompts";  // folder of generator.txt and review.txt; likewise
  std::string encoder;                     // folder of MiniLM; empty: see find_minilm()

  int generator_prompts = 16;  // a step
  int candidates = 8;          // M: of one generator prompt
  int examples = 2;            // environments shown in a generator prompt
  int generator_tokens = 8192;
  double generator_weight = 0.3;  // w_gen, of the advantages
  std::vector<int> levels{0, 1, 2, 3,
                          4};  // of problems for solver and calibration, in equal shares

  std::string topic;             // that candidates are asked to be about; empty: any
  std::int64_t most_tokens = 0;  // of all roles of synth grow; 0: no limit
  bool hints = true;             // generator prompts tell of the pool, refusals and rare kinds
  bool repair = false;           // one more turn for what validation refused

  std::string text_format = "bare";  // prompt format of generator, reviewer and second author
  bool review = true;
  synth::ReviewSettings reviewing;
  synth::ReviewLimits review_limits;
  int review_audit = 24;        // environments of known truth that are reviewed; 0: none
  int review_audit_every = 50;  // steps; the first audit is before step 1
  bool review_guard = true;     // no review while its last audit is no better than chance

  // "none", "policy" (itself), or another one: "openai:URL", a folder.
  std::string second_author = "none";
  std::string second_author_model;  // as its endpoint names it; empty: endpoint.model
  synth::SecondAuthorSettings second;

  synth::GeneratorRewardSettings reward;
  synth::NoveltySettings novelty;
  double similarity_gate = synth::kSimilarityGate;
  synth::PoolSettings pool;
  double cluster_threshold = 0.5;  // Jaccard similarity
  synth::ValidationOptions validation;

  // Names every field; see run/config.h.
  void declare(run::Settings& settings);
};

}  // namespace redqueen::evoenv
