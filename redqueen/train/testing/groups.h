// Random scored groups for the tests of this folder.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

struct RandomGroupOptions {
  std::size_t groups = 6;
  std::int64_t max_rollouts = 6;
  std::int64_t max_prompt = 9;    // tokens
  std::int64_t min_response = 1;  // tokens
  std::int64_t max_response = 7;  // tokens
  int vocab_size = 16;
  bool turns = false;  // runs of the responses are given
};

// Makes random runs of a response given ones, which may be its beginning, its end, all or none.
inline void give_runs(Rng& rng, ScoredRollout& rollout) {
  const std::size_t length = rollout.completion.tokens.size();
  const auto some = [&](int least, int most) { return rng.integer(least, most); };
  for (std::size_t begin = some(0, 4); begin < length;) {
    const std::size_t end = std::min(length, begin + some(1, 4));
    rollout.given.push_back({begin, end});
    for (std::size_t t = begin; t < end; ++t) rollout.completion.log_probs[t] = 0;
    begin = end + some(0, 5);
  }
}

// Groups of random sizes, tokens, roles, tasks and rewards (multiples of 1/4, so that equal ones
// occur), with log probabilities as a sampler would have left them.
inline std::vector<ScoredGroup> random_groups(Rng& rng, const RandomGroupOptions& options,
                                              AdvantageRule rule) {
  const std::array<std::string, 2> roles{"proposer", "solver"};
  const std::array<std::string, 3> tasks{"abduction", "deduction", "induction"};
  const auto token = [&] { return static_cast<Token>(rng.integer(0, options.vocab_size - 1)); };
  std::vector<ScoredGroup> groups(options.groups);
  for (ScoredGroup& group : groups) {
    group.role = rng.choice(roles);
    group.task = rng.choice(tasks);
    group.rule = rule;
    group.prompt.resize(rng.integer(1, options.max_prompt));
    for (Token& t : group.prompt) t = token();
    group.rollouts.resize(rng.integer(1, options.max_rollouts));
    for (ScoredRollout& rollout : group.rollouts) {
      rollout.reward = static_cast<double>(rng.integer(-4, 4)) / 4;
      const auto length = rng.integer(options.min_response, options.max_response);
      for (std::int64_t i = 0; i < length; ++i) {
        rollout.completion.tokens.push_back(token());
        rollout.completion.log_probs.push_back(static_cast<float>(-rng.real(0.1, 4)));
      }
      if (options.turns) give_runs(rng, rollout);
    }
  }
  return groups;
}

}  // namespace redqueen
