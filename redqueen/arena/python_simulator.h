// Environments that run in Python: one process for each, started once and reset for every episode.
// The process is trusted, as Gymnasium is; policies never run in it.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "redqueen/arena/simulator.h"
#include "redqueen/core/error.h"

namespace redqueen::arena {

// The text of simulator_host.py; made by the build.
std::string_view simulator_host_source();

// Makes Gymnasium's environment of this id with a Python interpreter. An environment without a
// limit of steps gets one of 1000. Fails with what Python said: a missing package, an unknown id.
Expected<std::unique_ptr<Simulator>> make_python_simulator(std::string_view id,
                                                           const std::filesystem::path& python);

}  // namespace redqueen::arena
