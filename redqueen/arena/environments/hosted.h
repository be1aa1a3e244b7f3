// Lists the environments that catalog.cc hosts in Python by default.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "redqueen/arena/simulators/python_simulator.h"

namespace redqueen::arena {

// An id with this prefix runs in Python, native or not.
inline constexpr std::string_view kHostedPrefix = "python:";

// The ids that are not native and yet need no "python:", sorted: those of EvoPolicyGym's suite, and
// those on Box2D where the program was built without it.
std::vector<std::string_view> hosted_simulator_ids();

// Gymnasium's own environment, native here or not, which draws what happens in it. Errors as those
// of make_simulator(): it needs Gymnasium, and what the environment draws with.
Expected<std::unique_ptr<DrawingSimulator>> make_drawing_simulator(
    std::string_view id, const SimulatorSettings& settings = {});

}  // namespace redqueen::arena
