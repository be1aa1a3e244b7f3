// MuJoCo's engine, loaded from its Python wheel when an environment asks for it.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/arena/simulators/simulator.h"
#include "redqueen/base/error.h"

namespace redqueen::arena {

// A model and its state. Positions in m and rad, velocities per s.
class MujocoEngine {
 public:
  virtual ~MujocoEngine() = default;

  // Sizes: of positions, velocities and controls, and the number of bodies, the world included.
  virtual std::span<const double> qpos() const = 0;  // [nq]
  virtual std::span<const double> qvel() const = 0;  // [nv]
  virtual std::span<double> ctrl() = 0;              // [nu]
  // Contact forces [nbody · 6] of the last step; zeros after a reset. Computed when first asked
  // for.
  virtual std::span<const double> cfrc_ext() const = 0;
  virtual std::span<const double> ctrl_range() const = 0;  // [nu · 2]
  virtual double timestep() const = 0;                     // s

  // The number of a body of the model, and its position (x, y, z).
  virtual int body(const char* name) const = 0;
  virtual std::span<const double> body_position(int body) const = 0;

  // Back to the model's own state; then positions and velocities may be set.
  virtual void reset() = 0;
  virtual void set_state(std::span<const double> qpos, std::span<const double> qvel) = 0;
  virtual void step(int frames) = 0;

  // The packages that it was made of, {"mujoco", "3.9.0"} and the like.
  virtual const std::vector<std::pair<std::string, std::string>>& versions() const = 0;
};

// Loads one of Gymnasium's models ("ant.xml"). Fails, with what to install, where a package is
// missing or has another version than the profile or this program asks for.
Expected<std::unique_ptr<MujocoEngine>> load_mujoco(std::string_view model,
                                                    const SimulatorSettings& settings);

}  // namespace redqueen::arena
