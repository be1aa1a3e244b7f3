// Chooses the environments that train the solver and those that the generator sees as examples
// (EvoEnv section 3.4, pool rotation).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/fields.h"
#include "redqueen/base/rng.h"

namespace redqueen::synth {

struct PoolSettings {
  int max_epochs = 5;           // of solver use, after which an environment retires
  int rotation_every = 10;      // steps
  double original_floor = 0.2;  // ρ_min: share of original seeds in the active pool
};

struct PoolEntry {
  std::string name;
  bool is_original = false;               // one of the seeds the run began with
  std::int64_t admitted = 0;              // step
  int epochs = 0;                         // steps in which the solver was given problems of it
  std::optional<std::int64_t> last_used;  // the latest of these steps
  std::optional<std::int64_t> retired;    // step; nothing while it is active
  std::optional<std::string> fault;       // why it was expelled; it is no example then
  REDQUEEN_FIELDS(name, is_original, admitted, epochs, last_used, retired, fault)
};

// A value; every draw comes from the Rng that is handed in. Entries keep the order in which they
// came, and names differ.
class EnvironmentPool {
 public:
  // Fails if a setting is out of its range or two originals have one name. The originals are active
  // and, at the same time, the first examples.
  static Expected<EnvironmentPool> make(const PoolSettings& settings,
                                        const std::vector<std::string>& originals);

  // Makes a new environment active. Fails if the name is taken.
  Status admit(std::string name, std::int64_t step);

  // `count` active environments to train the solver on, uniform with replacement. Each one drawn
  // has been used for one more epoch, however often it was drawn in this step; steps never
  // decrease. Fails if nothing is active.
  Expected<std::vector<std::string>> draw_active(std::int64_t count, std::int64_t step, Rng& rng);

  // Up to `count` different examples for a generator prompt, in random order: originals and retired
  // environments, uniform.
  std::vector<std::string> draw_examples(std::int64_t count, Rng& rng) const;

  // To be called after every step; works when step + 1 is a multiple of rotation_every.
  // Environments of max_epochs or more retire in the order in which they came, those admitted later
  // first, then originals as long as their share of what stays active is not below original_floor.
  // The last active environment never retires. Names what retired.
  std::vector<std::string> rotate(std::int64_t step);

  // Its scores cannot be trusted: it is not active any more and will be no example. False: it was
  // not active.
  bool expel(std::string_view name, std::string fault, std::int64_t step);

  const std::vector<PoolEntry>& entries() const { return entries_; }
  const PoolEntry* find(std::string_view name) const;
  std::vector<std::string> active() const;
  std::vector<std::string> examples() const;

  // The entries. Restoring replaces them; fails, and changes nothing, if they are no pool's.
  Json state() const;
  Status restore(const Json& state);

 private:
  explicit EnvironmentPool(const PoolSettings& settings) : settings_(settings) {}

  PoolSettings settings_;
  std::vector<PoolEntry> entries_;
};

}  // namespace redqueen::synth
