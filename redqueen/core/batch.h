// Makes and scores many problems at once, of any mix of environments: those with a BatchWorker a
// batch at a time, all others on several threads.
//
// Outcomes are those of Environment::generate and score_answer, in the order of the requests, and
// the same for any number of threads. All functions may be called from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "redqueen/core/environment.h"
#include "redqueen/core/prompt_format.h"

namespace redqueen {

struct BatchOptions {
  int threads = 0;                                 // at most; 0: one per core
  GenerationLimits limits;                         // of one problem; used by generate_all alone
  AnswerReading reading = AnswerReading::kStrict;  // used by score_all alone
};

// A problem that cannot be made is a failure at its place.
std::vector<Generated> generate_all(std::span<const ProblemRequest> requests,
                                    const BatchOptions& options = {});

std::vector<Verdict> score_all(std::span<const AnswerRequest> requests,
                               const BatchOptions& options = {});

// A policy's completion of a problem's prompt, to be scored.
struct CompletionRequest {
  const Problem* problem = nullptr;
  std::string_view completion;
};

// Scores, as score_all() does, the answers that `format` marks in the completions, read as `format`
// says. A completion without an answer, or longer than max_bytes, is malformed.
std::vector<Verdict> score_completions(std::span<const CompletionRequest> requests,
                                       const PromptFormat& format,
                                       std::size_t max_bytes = kDefaultMaxResponseBytes,
                                       const BatchOptions& options = {});

// Scores one completion.
Verdict score_completion(const Problem& problem, std::string_view completion,
                         const PromptFormat& format,
                         std::size_t max_bytes = kDefaultMaxResponseBytes);

}  // namespace redqueen
