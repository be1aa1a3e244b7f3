// Lists the Python packages that environments need, and the versions that a profile has of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::arena {

// A distribution as the index of Python packages names it.
struct Requirement {
  std::string_view distribution;
  std::string_view version;

  bool operator==(const Requirement&) const = default;
};

// The version of a distribution that a profile insists on; nothing where any will do. Profile
// "paper" insists on those on which observations and rewards rest (gymnasium, mujoco, Box2D, …),
// "current" on none.
std::optional<std::string_view> insisted_version(std::string_view distribution,
                                                 std::string_view profile);

// All distributions that the environment is made of, those included that they depend on: with them
// and no others it runs. Empty: it needs none. A usage error: no such environment, or one
// ("python:X") of which nothing is known here.
Expected<std::vector<Requirement>> requirements_of(std::string_view id, std::string_view profile);

// The environments that need packages: native ones with an engine, and those of EvoPolicyGym's
// suite that run in Python. Sorted.
std::vector<std::string_view> ids_with_requirements();

// A distribution's name in the one form that all its spellings share: "gymnasium_robotics".
std::string normalized_distribution(std::string_view name);

}  // namespace redqueen::arena
