// The interface of a policy whose network runs in this process, beyond Policy: it tells its tokens,
// and streams them while it draws.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "redqueen/policy/policy.h"
#include "redqueen/text/tokenizer.h"

namespace redqueen {

// Hears of a response whenever tokens were added to it: of which request and which of its addresses
// it is, and the response so far. Its tokens, log-probabilities and text only ever grow; `finish`
// is meant once sampling has returned. Called on the thread that samples, which waits meanwhile.
using DrawListener =
    std::function<void(std::size_t request, std::size_t response, const Completion& so_far)>;

class TokenPolicy {
 public:
  virtual ~TokenPolicy() = default;

  virtual const Tokenizer& tokenizer() const = 0;

  // Samples as Policy::sample() does, for requests that continue no tokens, with the same outcome;
  // `listener` hears of what it draws. A response that cannot be had is heard of by its outcome
  // alone.
  virtual Expected<std::vector<CompletionGroup>> sample_aloud(
      std::span<const SampleRequest> requests, const SampleParameters& parameters,
      const DrawListener& listener) = 0;
};

}  // namespace redqueen
