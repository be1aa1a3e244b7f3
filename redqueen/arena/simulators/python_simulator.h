// Environments that run in Python: one process for each, started once and reset for every episode.
// The process is trusted, as Gymnasium is; policies never run in it.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "redqueen/arena/simulators/simulator.h"
#include "redqueen/base/error.h"

namespace redqueen::arena {

// A simulator that draws pictures of its state.
class DrawingSimulator : public Simulator {
 public:
  // Renders the present state, as Gymnasium's render(): uint8, height × width × 3, neither 0.
  virtual Expected<Array> picture() = 0;
};

// Makes Gymnasium's environment of this id with a Python interpreter. An environment without a
// limit of steps gets one of 1000. `pictures`: it draws, which some pay for at every step. Fails
// with what Python said: a missing package, an unknown id.
Expected<std::unique_ptr<DrawingSimulator>> make_python_simulator(
    std::string_view id, const std::filesystem::path& python, bool pictures = false);

}  // namespace redqueen::arena
