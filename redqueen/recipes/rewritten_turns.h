// Turns of conversations whose past the policy's chat template would render otherwise by now.
#pragma once

#include <cstdint>
#include <string>

namespace redqueen {

// The choices where a chat template rewrites earlier turns (ChatLayout::rewrites_history).
enum class RewrittenHistory {
  kAnew,    // the policy reads what the template renders now, from the beginning
  kAppend,  // the turn is appended to the tokens that were read and drawn
};

struct RewrittenTurns {
  RewrittenHistory history = RewrittenHistory::kAnew;
  std::int64_t turns = 0;
  // Drawn before turns that were computed anew: they are no longer among the rollout's tokens.
  std::int64_t tokens = 0;
  std::string why = {};  // of the first: what the template renders otherwise

  void add(const RewrittenTurns& other);
  // For people; empty if there are none.
  std::string sentence() const;
};

}  // namespace redqueen
