// What runs in Python although nobody asks for it; catalog.cc decides.
#pragma once

#include <string_view>
#include <vector>

namespace redqueen::arena {

// What has this before its id runs in Python, native or not.
inline constexpr std::string_view kHostedPrefix = "python:";

// The ids that are not native and yet need no "python:", sorted: those of EvoPolicyGym's suite, and
// those on Box2D where the program was built without it.
std::vector<std::string_view> hosted_simulator_ids();

}  // namespace redqueen::arena
