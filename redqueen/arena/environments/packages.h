// Where Python packages lie, whose engines and models native environments read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "redqueen/arena/simulator.h"
#include "redqueen/core/error.h"

namespace redqueen::arena {

// The folder with the packages: settings.packages, or $REDQUEEN_ARENA_PACKAGES, or the
// site-packages of a .venv in the working directory or above it. Fails with what to install.
Expected<std::filesystem::path> find_packages(const SimulatorSettings& settings);

// The Python interpreter of the virtual environment that holds these packages.
Expected<std::filesystem::path> find_python(const std::filesystem::path& packages);

// The version of an installed distribution, as the name of its dist-info folder tells. Fails with
// what to install.
Expected<std::string> installed_version(const std::filesystem::path& packages,
                                        std::string_view distribution);

}  // namespace redqueen::arena
