// Simulators: the environments in which policies act, behind one interface whether they are written
// in C++ (environments/) or run in a Python process. They follow Gymnasium: the same seed and the
// same actions give the same observations, rewards and flags, to the bit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/arena/simulators/space.h"
#include "redqueen/arena/simulators/value.h"
#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {

// The description of an environment, known before it runs.
struct SimulatorCard {
  std::string id;           // Gymnasium's: "CartPole-v1"
  std::string description;  // for an agent: the task, what is seen, what is done, what is paid
  Space observation_space;
  Space action_space;
  int max_episode_steps = 0;  // truncates an episode
  std::vector<std::string>
      reward_components;  // names of Transition::reward_components; may be none
  // The packages and versions with which it agrees to the bit: {"gymnasium", "1.3.0"}.
  std::vector<std::pair<std::string, std::string>> versions;
};

// The outcome of a step. Callers keep one and pass it to every step: its memory is used anew.
struct Transition {
  Value observation;
  double reward = 0;
  std::vector<double> reward_components;  // in the order of the card's names
  bool terminated = false;                // the task has ended
  bool truncated = false;                 // max_episode_steps ended it

  bool done() const { return terminated || truncated; }
};

// One environment, reset again and again. Mutable, with one owner; two simulators share nothing
// that changes, so that each may have its own thread.
class Simulator {
 public:
  virtual ~Simulator() = default;

  virtual const SimulatorCard& card() const = 0;

  // Begins an episode and tells its first observation; reward 0, no flags. The episode is a
  // function of the seed: nothing of earlier episodes is left.
  virtual Status reset(std::uint64_t seed, Transition& out) = 0;

  // One step. The action need not be of the action space's own form: see conform(). A usage error,
  // with `out` and the environment as they were: an action that does not conform, a step before the
  // first reset or after the end of an episode. A failure: the environment has broken down, and
  // only a new simulator helps.
  virtual Status step(const Value& action, Transition& out) = 0;

  // Gymnasium's `info` of the last reset or step, in JSON: for records, never for the policy.
  virtual Json info() const { return Json::object(); }
};

// Tells environments where to find what they need of other packages.
struct SimulatorSettings {
  // "paper": the versions with which EvoPolicyGym's results were made. "current": those that are
  // installed in `packages`.
  std::string profile = "paper";
  // A folder with Python packages ("…/site-packages"), for the engine and the models of MuJoCo.
  // Empty: $REDQUEEN_ARENA_PACKAGES, what `redqueen arena setup` made, a .venv (packages.h says
  // it).
  std::filesystem::path packages = {};
};

// The ids of all native environments, sorted.
std::vector<std::string_view> simulator_ids();

// Makes an environment. "python:ID" runs Gymnasium's own in a Python process, as do the ids of
// EvoPolicyGym's suite that are not native (CarRacing-v3, parking-v0, …). A usage error: no native
// environment has this id (with the nearest that there is), no such profile. A failure: what it
// needs is not installed, and how to install it.
Expected<std::unique_ptr<Simulator>> make_simulator(std::string_view id,
                                                    const SimulatorSettings& settings = {});

}  // namespace redqueen::arena
