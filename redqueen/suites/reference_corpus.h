// The first steps of an embedded policy: a tokenizer and a model made for given environments, and
// supervised training on their reference answers.
#pragma once

#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/suites/suite.h"
#include "redqueen/text/text_pair.h"

namespace redqueen {

// The problems that a corpus is made of.
struct CorpusOptions {
  std::vector<int> levels{0, 1, 2};
  int problems = 500;  // per environment and level
  std::uint64_t first =
      0;  // index of the first problem: corpora of disjoint index ranges share none
};

// Prompts with the completions that give the reference answers. The problems belong to the warm
// start alone: no training and no evaluation draws them.
std::vector<TextPair> reference_corpus(const Suite& suite, const CorpusOptions& options,
                                       const PromptFormat& format);

}  // namespace redqueen
