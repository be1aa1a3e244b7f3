// The base of the native environments: it checks actions, counts steps and keeps the end of an
// episode.
#pragma once

#include <string_view>

#include "redqueen/arena/environments/numpy_random.h"
#include "redqueen/arena/simulators/simulator.h"

namespace redqueen::arena {

// An environment in C++: a derived class says how an episode starts and what one action does.
class NativeSimulator : public Simulator {
 public:
  explicit NativeSimulator(SimulatorCard card) : card_(std::move(card)) {}

  const SimulatorCard& card() const final { return card_; }
  Status reset(std::uint64_t seed, Transition& out) final;
  Status step(const Value& action, Transition& out) final;

 protected:
  // Starts an episode and writes its first observation. random() is freshly seeded.
  virtual void start(Value& observation) = 0;

  // One step with an action of the action space (Box: finite, not clipped). `out` has the last
  // observation, to be written over, reward 0, components 0 and no flags.
  virtual void advance(const Value& action, Transition& out) = 0;

  // The episode's random numbers.
  NumpyRandom& random() { return random_; }

  // Steps of this episode, the present one included.
  int steps() const { return steps_; }

 private:
  void clear_outcome();

  SimulatorCard card_;
  NumpyRandom random_{0};
  Transition latest_;  // callers get copies, so that their memory need not have its form
  int steps_ = 0;
  bool running_ = false;
};

// The elements of an observation or action that is one array of T.
template <typename T>
std::span<T> elements(Value& value) {
  return std::get<Array>(value.form).elements<T>();
}
template <typename T>
std::span<const T> elements(const Value& value) {
  return std::get<Array>(value.form).elements<T>();
}

}  // namespace redqueen::arena
