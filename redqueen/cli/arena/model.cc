#include "redqueen/cli/arena/model.h"

#include <fstream>

#include "redqueen/arena/agents/judge_workbench.h"
#include "redqueen/base/rng.h"
#include "redqueen/recipes/episodes.h"
#include "redqueen/session/load_policy.h"

namespace redqueen {
namespace {

constexpr int kMostTurns = 200;
constexpr int kAnswerTokens = 4096;  // a turn that writes a whole program

// `failed`: a request got no answer, and the conversation ended there.
std::string reason_of(const arena::Judge& judge, const EpisodeGroup& group, bool failed) {
  const arena::RunState state = judge.state();
  if (state.finalized || state.chosen) return "done";
  if (failed || group.rollouts.front().completion.is_missing()) return "agent_ended";
  return group.rollouts.front().completion.finish == FinishReason::kLength ? "turn_limit"
                                                                           : "session_stop";
}

}  // namespace

Expected<std::string> run_model_agent(const ModelAgent& agent, ConfigurationOptions configuration,
                                      const Resources& resources, arena::Judge& judge,
                                      arena::PolicySeats& seats, bool numpy) {
  configuration.assignments.push_back("policy.path=" + agent.policy);
  if (!agent.model.empty()) configuration.assignments.push_back("endpoint.model=" + agent.model);
  ASSIGN_OR_RETURN(auto resolved, resolve(configuration, resources));
  ASSIGN_OR_RETURN(const auto policy, load_policy(resolved.settings));
  const auto problem =
      judge_problem(judge, seats, numpy, agent.turns > 0 ? agent.turns : kMostTurns);
  const EpisodeRequest request = {.problem = problem.get(),
                                  .addresses = {{.purpose = hash_name("arena agent")}}};
  EpisodeSettings settings;
  settings.sampling = resolved.settings.sampling;
  // The default is for answers to problems, and an answer that is cut off ends the conversation.
  if (settings.sampling.max_new_tokens == SampleParameters().max_new_tokens) {
    settings.sampling.max_new_tokens = kAnswerTokens;
  }
  settings.rewritten_history = resolved.settings.policy.rewritten_history;
  ASSIGN_OR_RETURN(const EpisodeBatch played, rollout_episodes(*policy, {&request, 1}, settings));
  const EpisodeGroup& group = played.groups.front();
  std::ofstream log(judge.folder() / "logs" / "agent.jsonl", std::ios::app | std::ios::binary);
  log << dump_json({{"role", "user"}, {"text", problem->prompt()}}) << '\n';
  if (!group.turns.empty() && group.turns.front().is_array()) {
    for (const Json& turn : group.turns.front()) log << dump_json(turn) << '\n';
  }
  const auto usage = policy->usage();
  if (usage) {
    log << dump_json({{"usage",
                       {{"requests", usage->requests},
                        {"prompt_tokens", usage->prompt_tokens},
                        {"completion_tokens", usage->completion_tokens}}}})
        << '\n';
  }
  return reason_of(judge, group, usage && usage->failures > 0);
}

}  // namespace redqueen
