// Describes a call of a policy by its size, for the plan of memory.
#pragma once

#include <cstdint>
#include <string_view>

namespace redqueen {

// A call at its largest.
struct SamplingDemand {
  std::int64_t prompts = 1;          // that differ
  std::int64_t responses = 1;        // to all of them
  std::int64_t prompt_tokens = 0;    // of the longest prompt
  std::int64_t response_tokens = 0;  // of the longest response
  std::int64_t begun_tokens = 0;     // of responses that go on, which pass as if they were prompts
  bool greedy = false;               // temperature 0
  bool cuts = false;                 // by top-k, top-p or min-p
  bool trained = true;               // the trainer learns from the responses
  std::string_view limit = "sampling.max_new_tokens";  // the setting that bounds response_tokens

  // Of the longest sequence.
  std::int64_t whole_tokens() const { return prompt_tokens + begun_tokens + response_tokens; }
};

}  // namespace redqueen
