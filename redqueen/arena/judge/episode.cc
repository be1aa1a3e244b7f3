#include "redqueen/arena/judge/episode.h"

#include <chrono>
#include <utility>

#include "redqueen/arena/policies/action_repair.h"
#include "redqueen/base/clock.h"

namespace redqueen::arena {
namespace {

// Measures the first steps of an episode; reading the clock at every step would cost as much as
// some environments do.
class StepTimer {
 public:
  void begin(int step) {
    running_ = step < kSteps;
    if (running_) begin_ = Clock::now();
  }
  void end(EpisodeResult& result) {
    if (!running_) return;
    total_ += seconds_since(begin_);
    result.step_seconds = total_ / ++steps_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kSteps = 100;
  Clock::time_point begin_;
  double total_ = 0;
  int steps_ = 0;
  bool running_ = false;
};

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
  StepTimer timer;
  while (!result.fault && !now.done()) {
    timer.begin(result.length);
    action = Value{std::string()};  // no action at all
    result.fault = policy.act(now.observation, action);
    if (result.lost()) return {};
    const RepairedAction repaired = repair_action(actions, action);
    RETURN_IF_ERROR(simulator.step(repaired.action, next));
    timer.end(result);
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
