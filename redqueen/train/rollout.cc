#include "redqueen/train/rollout.h"

namespace redqueen {

Status check_given(std::span<const TokenRun> given, std::size_t length) {
  std::size_t end = 0;
  for (const TokenRun& run : given) {
    if (run.begin >= run.end) {
      return failure("its given run [{}, {}) has no tokens", run.begin, run.end);
    }
    if (run.begin < end) {
      return failure("its given run [{}, {}) begins before the one before it ends, at {}",
                     run.begin, run.end, end);
    }
    if (run.end > length) {
      return failure("its given run [{}, {}) goes beyond its {} tokens", run.begin, run.end,
                     length);
    }
    end = run.end;
  }
  return {};
}

std::vector<TokenRun> drawn_runs(const ScoredRollout& rollout) {
  std::vector<TokenRun> runs;
  std::size_t begin = 0;
  for (const TokenRun& run : rollout.given) {
    if (run.begin > begin) runs.push_back({begin, run.begin});
    begin = run.end;
  }
  const std::size_t length = rollout.completion.tokens.size();
  if (length > begin) runs.push_back({begin, length});
  return runs;
}

std::size_t drawn_tokens(const ScoredRollout& rollout) {
  std::size_t count = rollout.completion.tokens.size();
  for (const TokenRun& run : rollout.given) count -= run.end - run.begin;
  return count;
}

void append_drawn(ScoredRollout& rollout, const Completion& turn) {
  Completion& whole = rollout.completion;
  const bool known =
      whole.log_probs.size() == whole.tokens.size() && turn.log_probs.size() == turn.tokens.size();
  if (known) {
    whole.log_probs.insert(whole.log_probs.end(), turn.log_probs.begin(), turn.log_probs.end());
  } else {
    whole.log_probs.clear();
  }
  whole.tokens.insert(whole.tokens.end(), turn.tokens.begin(), turn.tokens.end());
  whole.text += turn.text;
  whole.finish = turn.finish;
}

void append_given(ScoredRollout& rollout, std::span<const Token> tokens, std::string_view text) {
  Completion& whole = rollout.completion;
  if (tokens.empty()) return;
  const std::size_t begin = whole.tokens.size();
  if (whole.log_probs.size() == begin) whole.log_probs.resize(begin + tokens.size());
  whole.tokens.insert(whole.tokens.end(), tokens.begin(), tokens.end());
  whole.text += text;
  rollout.given.push_back({begin, whole.tokens.size()});
}

}  // namespace redqueen
