// Finds the Python packages whose engines and models native environments read.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "redqueen/arena/simulators/simulator.h"
#include "redqueen/base/error.h"

namespace redqueen::arena {

// The folder with the packages ("…/site-packages"): settings.packages, or what
// $REDQUEEN_ARENA_PACKAGES names, a virtual environment or its site-packages; else the first of
// these that holds all `distributions`: what `redqueen arena setup` made for the profile, the .venv
// of the working directory, that of the folders above it. Where none holds them, the first that is
// there at all. Fails with what to install.
Expected<std::filesystem::path> find_packages(const SimulatorSettings& settings,
                                              std::span<const std::string_view> distributions);

// The folder in which `redqueen arena setup` makes a profile's virtual environment unless told
// otherwise: $XDG_DATA_HOME/redqueen/arena/PROFILE, else below ~/.local/share. Empty: there is no
// HOME.
std::filesystem::path default_setup_folder(std::string_view profile);

// The site-packages of a virtual environment; empty: `folder` is none.
std::filesystem::path packages_of_venv(const std::filesystem::path& folder);

// The Python interpreter of the virtual environment that holds these packages.
Expected<std::filesystem::path> find_python(const std::filesystem::path& packages);

// The version of an installed distribution, as the name of its dist-info folder tells. Fails with
// what to install.
Expected<std::string> installed_version(const std::filesystem::path& packages,
                                        std::string_view distribution);

}  // namespace redqueen::arena
