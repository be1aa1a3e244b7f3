// What a warm start learns from, by the name of its corpus (warm_start.corpus).
#pragma once

#include <string>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/recipes/sandbox_service.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/progress.h"
#include "redqueen/train/text_pair.h"

namespace redqueen {

struct Corpus {
  std::vector<TextPair> pairs;     // to learn from
  std::vector<TextPair> held_out;  // for the held-out loss; nothing of it is among the pairs
};

// `suite`: reference answers of settings.warm_start.suite. Sizes follow settings.warm_start.
Expected<Corpus> make_corpus(const TrainSettings& settings, SandboxService& sandbox,
                             Progress& progress);

// Texts that a tokenizer for this corpus is trained on; far fewer than make_corpus makes.
Expected<std::vector<std::string>> tokenizer_texts(const TrainSettings& settings,
                                                   SandboxService& sandbox, Progress& progress);

}  // namespace redqueen
