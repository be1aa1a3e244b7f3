#include "redqueen/recipes/rewritten_turns.h"

#include <fmt/format.h>

namespace redqueen {

void RewrittenTurns::add(const RewrittenTurns& other) {
  history = other.history;
  turns += other.turns;
  tokens += other.tokens;
  left_out += other.left_out;
  if (why.empty()) why = other.why;
}

std::string RewrittenTurns::sentence() const {
  if (turns == 0) return {};
  return fmt::format("{} turns were {} (policy.rewritten_history): {}", turns,
                     history == RewrittenHistory::kAnew
                         ? "computed anew from their conversations' beginning"
                         : "appended to conversations that would be rendered otherwise by now",
                     why);
}

}  // namespace redqueen
