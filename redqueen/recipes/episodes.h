// Episodes of a policy: problems are asked, answered turn by turn, and judged. A problem that asks
// once is the special case of one turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/problem_address.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/policy/missing_responses.h"
#include "redqueen/policy/policy.h"
#include "redqueen/recipes/rewritten_turns.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

// One problem, and an episode of it for each address.
struct EpisodeRequest {
  const Problem* problem = nullptr;
  std::vector<RandomAddress> addresses;  // of the first turns; later ones follow (turn_address)
  std::string kind = {};                 // as SampleRequest's
};

struct EpisodeSettings {
  PromptFormat format;        // of problems that ask once; chats are laid out by the policy
  SampleParameters sampling;  // of each turn
  std::size_t max_response_bytes = kDefaultMaxResponseBytes;
  int max_turns = 0;  // at most; 0: as many as the problem takes
  RewrittenHistory rewritten_history = RewrittenHistory::kAnew;
  int threads = 0;  // at most, that take steps; 0: one per core. The outcomes are the same
};

// The episodes of one problem.
struct EpisodeGroup {
  std::string prompt;  // what the policy read before its first turn
  // The same as tokens. If a turn was computed anew: what all rollouts with tokens begin with by
  // now; the rest stands in each of them, as given.
  std::vector<Token> prompt_tokens;
  std::vector<ScoredRollout> rollouts;  // by address; tokens that were given to read are marked
  // By address: a list of {"role", "text", "tokens", "reward"} as RolloutRecord::turns has it. Null
  // for a problem that asks once.
  std::vector<Json> turns;
};

struct EpisodeBatch {
  std::vector<EpisodeGroup> groups;  // by request
  std::int64_t cut = 0;              // episodes of several turns that a limit ended
  MissingResponses missing;
  RewrittenTurns rewritten;
};

// A problem that asks once, and the responses to it. Both outlive it.
struct AnsweredProblem {
  const Problem* problem = nullptr;
  std::span<const Completion> responses;
};

// Scores the responses to all problems as score_completions() does, in one batch, and returns the
// verdicts by problem.
std::vector<std::vector<Verdict>> score_answers(std::span<const AnsweredProblem> answered,
                                                const EpisodeSettings& settings);

// Adds the responses to a problem that asks once to its group, with the verdicts on them.
void add_answers(EpisodeGroup& group, std::vector<Completion> responses,
                 std::span<const Verdict> verdicts);

// The address of a later turn of an episode whose first turn has `first`; turn 0 is the first.
RandomAddress turn_address(const RandomAddress& first, int turn);

// SampleRequest::kind of problems of an environment and a level.
std::string kind_of(const ProblemAddress& address);

// Plays all episodes in lockstep: one call of policy.sample for a turn of all that go on, then the
// steps of their environments, several at a time. Each episode stays with one thread of a turn;
// what they share, as a sandbox or the arena's seats, is safe to use from any. An episode ends when
// its environment says so; or at a limit of turns, or of the policy's context, in the middle of
// which it is judged by what it has done so far, and finish is kLength. Answers to problems that
// ask once are scored as score_completions() does. A policy of this process keeps the keys and
// values of a turn for the next one (SampleRequest::keep) and gives them back at the end.
//
// Where the policy's chat template would by now render the conversation so far otherwise
// (ChatLayout::rewrites_history), settings.rewritten_history decides. A turn that is computed anew
// reads what the template renders, and the rollout's tokens are from then on this rendering, as
// given, and the turns since: a turn is trained after the tokens that it was drawn after, or not at
// all. The rollout's text stays what was said. With other tools than before, a turn is computed
// anew in any case.
//
// A template may rewrite so much that the prompts of a group's rollouts no longer begin with the
// same token. Then training takes the most rollouts that do; the others keep text, turns and
// verdict and have no tokens, like a response that did not come (RewrittenTurns::left_out counts
// them).
//
// Fails if the policy does, or cannot lay out a conversation.
Expected<EpisodeBatch> rollout_episodes(Policy& policy, std::span<const EpisodeRequest> requests,
                                        const EpisodeSettings& settings);

}  // namespace redqueen
