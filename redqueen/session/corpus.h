// Makes the texts that a warm start learns from, by the name of their corpus (warm_start.corpus).
#pragma once

#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/engine/engine.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/progress.h"
#include "redqueen/text/text_pair.h"

namespace redqueen {

struct Corpus {
  std::vector<TextPair> pairs;     // to learn from
  std::vector<TextPair> held_out;  // for the held-out loss; nothing of it is among the pairs
};

// Corpus "suite" has the reference answers of settings.warm_start.suite; the others are those of
// recipes (RecipeType::corpus). Sizes follow settings.warm_start.
Expected<Corpus> make_corpus(const Engine& engine, const TrainSettings& settings,
                             run::Progress& progress);

// Texts that a tokenizer for this corpus is trained on; far fewer than make_corpus makes.
Expected<std::vector<std::string>> tokenizer_texts(const Engine& engine,
                                                   const TrainSettings& settings,
                                                   run::Progress& progress);

}  // namespace redqueen
