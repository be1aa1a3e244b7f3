// A recipe hands groups of scored rollouts to a trainer, each with the rule that turns rewards into
// advantages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/policy/policy.h"

namespace redqueen {

// The rules that turn rewards into advantages (advantage.h has the formulas).
enum class AdvantageRule {
  kGroupNormalised,     // GRPO
  kGroupMean,           // Dr. GRPO
  kBatchNormalised,     // REINFORCE++
  kRoleTaskNormalised,  // TRR++
  kWeight,              // reward-weighted regression: the reward is the weight of a likelihood loss
};

// One response and its verdict. A response of several turns is one sequence of tokens: those that
// the policy drew, and between them those that it was given to read, like results of tools and the
// user's turns.
struct ScoredRollout {
  Completion completion;  // of all turns; an entry of log_probs is 0 where the token was given
  double reward = 0;      // finite
  bool solved = false;
  bool well_formed = false;
  // Runs of completion.tokens that the policy was given: ascending, none empty, no two overlapping.
  // They are attended to; they are not trained and count in no mean. Empty: every token was drawn.
  std::vector<TokenRun> given = {};
};

// Checks that the given runs of a sequence of `length` tokens are as described above, on which all
// readers rely. The error says of the sequence what is wrong, like "its given run [3, 9) goes
// beyond its 5 tokens".
Status check_given(std::span<const TokenRun> given, std::size_t length);

// The runs between the given ones: what the policy drew.
std::vector<TokenRun> drawn_runs(const ScoredRollout& rollout);
std::size_t drawn_tokens(const ScoredRollout& rollout);

// Lengthen a response by a turn of the policy, and by what the policy reads next. Log-probabilities
// stay known as long as those of every turn are.
void append_drawn(ScoredRollout& rollout, const Completion& turn);
void append_given(ScoredRollout& rollout, std::span<const Token> tokens, std::string_view text);

// The rollouts of one prompt.
struct ScoredGroup {
  std::string role;  // who wrote the responses: "solver", "proposer", …
  std::string task;  // the kind of task within the role; with the role, the pool of TRR++
  AdvantageRule rule = AdvantageRule::kGroupNormalised;
  double loss_weight = 1;  // factor of its advantages, so of its part of the policy loss, not of KL
  std::vector<Token> prompt;
  std::vector<ScoredRollout> rollouts;
};

}  // namespace redqueen
