#include "redqueen/arena/judge/episode.h"

#include <chrono>
#include <cmath>
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

// Bytes of an action that are shown as they are: above it no action of an environment is, and a
// policy could fill the disk with what it returns.
constexpr std::size_t kMostShown = 2048;

std::size_t bytes_of(const Value& value) {
  std::size_t bytes = sizeof(double);
  if (const auto* text = std::get_if<std::string>(&value.form)) bytes += text->size();
  if (const auto* array = std::get_if<Array>(&value.form)) bytes += array->bytes.size();
  if (const auto* tuple = std::get_if<Value::Tuple>(&value.form)) {
    for (const Value& part : *tuple) bytes += bytes_of(part);
  }
  if (const auto* dict = std::get_if<Value::Dict>(&value.form)) {
    for (const auto& [key, part] : *dict) bytes += key.size() + bytes_of(part);
  }
  return bytes;
}

bool can_be_shown(const Value& action) { return bytes_of(action) <= kMostShown; }

// One episode on its way.
class Player {
 public:
  Player(Simulator& simulator, const EpisodeRequest& request, EpisodeResult& result)
      : simulator_(simulator), request_(request), result_(result) {}

  Status reset() {
    RETURN_IF_ERROR(simulator_.reset(request_.case_seed, now_));
    result_.components.assign(simulator_.card().reward_components.size(), 0.0);
    return {};
  }

  // Asks the policy for every action, until the episode or the policy ends.
  Status play(PolicyProcess& policy) {
    result_.fault = policy.begin_episode(request_.index, request_.policy_seed);
    StepTimer timer;
    Value action;
    while (!result_.fault && !now_.done()) {
      timer.begin(result_.length);
      result_.fault = policy.act(now_.observation, action);
      if (result_.fault) {
        result_.fault_step = result_.length;
        return {};
      }
      const RepairedAction repaired = repair_action(simulator_.card().action_space, action);
      ++result_.actions;
      result_.invalid_actions += repaired.repaired ? 1 : 0;
      RETURN_IF_ERROR(step(repaired, can_be_shown(action) ? action : repaired.action));
      timer.end(result_);
    }
    return {};
  }

  // Plays the rest with the null action.
  Status play_without_policy() {
    const RepairedAction null = repair_action(simulator_.card().action_space, Value{std::string()});
    while (!now_.done()) RETURN_IF_ERROR(step(null, null.action));
    return {};
  }

 private:
  Status step(const RepairedAction& repaired, const Value& shown) {
    RETURN_IF_ERROR(simulator_.step(repaired.action, next_));
    result_.total += next_.reward;
    for (std::size_t i = 0; i < next_.reward_components.size(); ++i) {
      result_.components[i] += next_.reward_components[i];
    }
    if (request_.sink != nullptr) {
      request_.sink->step({.t = result_.length,
                           .observation = now_.observation,
                           .action = shown,
                           .repaired = repaired.repaired,
                           .outcome = next_,
                           .simulator = simulator_});
    }
    ++result_.length;
    std::swap(now_, next_);
    return {};
  }

  Simulator& simulator_;
  const EpisodeRequest& request_;
  EpisodeResult& result_;
  Transition now_;
  Transition next_;
};

}  // namespace

Expected<EpisodeResult> play_episode(Simulator& simulator, PolicyProcess& policy,
                                     const EpisodeRequest& request) {
  EpisodeResult result;
  Player player(simulator, request, result);
  RETURN_IF_ERROR(player.reset());
  RETURN_IF_ERROR(player.play(policy));
  // The policy is dismissed before the rest is played: its time is not that of a slow environment.
  if (auto fault = policy.end_episode(result.output); fault && !result.lost()) {
    result.fault = std::move(fault);
  }
  if (result.fault && !result.lost()) RETURN_IF_ERROR(player.play_without_policy());
  // No mean could be made of it, nor could anything be compared with one.
  if (!std::isfinite(result.total) && !result.lost()) {
    result.fault = PolicyFault{.kind = PolicyFault::Kind::kEnded,
                               .where = {},
                               .what = "the environment's rewards add up to no number"};
  }
  return result;
}

}  // namespace redqueen::arena
