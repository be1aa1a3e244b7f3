// Counts turns of conversations whose earlier turns the policy's chat template would by now render
// differently.
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
  // Drawn, and no longer among a rollout's tokens: those before turns that were computed anew, and
  // those of rollouts that were left out.
  std::int64_t tokens = 0;
  // Rollouts without tokens because their conversation no longer begins like those of their group.
  std::int64_t left_out = 0;
  std::string why = {};  // of the first: what the template renders otherwise

  void add(const RewrittenTurns& other);
  // For people; empty if there are none.
  std::string sentence() const;
};

}  // namespace redqueen
