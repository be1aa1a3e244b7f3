#include "redqueen/train/overlong.h"

#include <cassert>

namespace redqueen {

double overlong_reward(std::int64_t tokens, const OverlongOptions& options) {
  if (options.cache == 0) return 0;
  assert(options.cache > 0 && options.longest >= options.cache);
  const std::int64_t expected = options.longest - options.cache;
  if (tokens <= expected) return 0;
  if (tokens > options.longest) return -1;
  return static_cast<double>(expected - tokens) / static_cast<double>(options.cache);
}

OverlongCounts apply_overlong(std::span<ScoredGroup> groups, const OverlongOptions& options) {
  OverlongCounts counts;
  for (ScoredGroup& group : groups) {
    for (ScoredRollout& rollout : group.rollouts) {
      const std::size_t tokens = rollout.completion.tokens.size();
      if (rollout.given.empty()) {
        const double punishment = overlong_reward(static_cast<std::int64_t>(tokens), options);
        rollout.reward += punishment;
        counts.punishment += punishment;
        counts.punished += punishment < 0 ? 1 : 0;
      }
      if (options.mask_cut && tokens > 0 && rollout.completion.finish == FinishReason::kLength) {
        rollout.given = {{.begin = 0, .end = tokens}};
        ++counts.masked;
      }
    }
  }
  return counts;
}

}  // namespace redqueen
