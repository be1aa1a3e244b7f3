#include "redqueen/arena/episode.h"

#include <utility>

#include "redqueen/arena/action_repair.h"

namespace redqueen::arena {
namespace {

// The loop itself; true: the policy raised in act() or is gone, and the fault says so.
Status play(Simulator& simulator, PolicyProcess& policy, const EpisodeRequest& request,
            EpisodeResult& result) {
  const Space& actions = simulator.card().action_space;
  Transition now;
  Transition next;
  RETURN_IF_ERROR(simulator.reset(request.case_seed, now));
  result.components.assign(simulator.card().reward_components.size(), 0.0);
  result.fault = policy.begin_episode(request.index, request.policy_seed);
  Value action;
  while (!result.fault && !now.done()) {
    action = Value{std::string()};  // no action at all
    result.fault = policy.act(now.observation, action);
    if (result.lost()) return {};
    const RepairedAction repaired = repair_action(actions, action);
    RETURN_IF_ERROR(simulator.step(repaired.action, next));
    result.total += next.reward;
    for (std::size_t i = 0; i < next.reward_components.size(); ++i) {
      result.components[i] += next.reward_components[i];
    }
    if (request.sink != nullptr) {
      request.sink->step({.t = result.length,
                          .observation = now.observation,
                          .action = result.fault ? repaired.action : action,
                          .repaired = repaired.repaired,
                          .outcome = next,
                          .simulator = simulator});
    }
    ++result.length;
    std::swap(now, next);
  }
  return {};
}

}  // namespace

Expected<EpisodeResult> play_episode(Simulator& simulator, PolicyProcess& policy,
                                     const EpisodeRequest& request) {
  EpisodeResult result;
  RETURN_IF_ERROR(play(simulator, policy, request, result));
  if (auto fault = policy.end_episode(result.output); fault && !result.lost()) {
    result.fault = std::move(fault);
  }
  return result;
}

}  // namespace redqueen::arena
