#include "redqueen/arena/environments/native_simulator.h"

namespace redqueen::arena {

Status NativeSimulator::reset(std::uint64_t seed, Transition& out) {
  random_ = NumpyRandom(seed);
  steps_ = 0;
  running_ = true;
  latest_.observation = blank(card_.observation_space);
  clear_outcome();
  start(latest_.observation);
  out = latest_;
  return {};
}

Status NativeSimulator::step(const Value& action, Transition& out) {
  if (!running_) return usage_error("{}: no episode is running; reset it first", card_.id);
  Value converted;
  const Value* taken = &action;
  if (!conforms(card_.action_space, action)) {
    auto conformed = conform(card_.action_space, action);
    if (!conformed) return usage_error("{}: action: {}", card_.id, conformed.error().message);
    converted = std::move(*conformed);
    taken = &converted;
  }
  ++steps_;
  clear_outcome();
  advance(*taken, latest_);
  if (steps_ >= card_.max_episode_steps) latest_.truncated = true;
  running_ = !latest_.done();
  out = latest_;
  return {};
}

void NativeSimulator::clear_outcome() {
  latest_.reward = 0;
  latest_.reward_components.assign(card_.reward_components.size(), 0.0);
  latest_.terminated = false;
  latest_.truncated = false;
}

}  // namespace redqueen::arena
