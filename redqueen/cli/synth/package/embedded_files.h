// The files of this folder that programs carry, as text; the build embeds them (CMakeLists.txt).
#pragma once

#include <string_view>

namespace redqueen::package {

std::string_view package_runtime_source();  // runtime.py: makes and scores problems, in any package
std::string_view package_verifiers_source();      // verifiers.py: a taskset of verifiers
std::string_view package_reasoning_gym_source();  // reasoning_gym.py: data sets of reasoning-gym

}  // namespace redqueen::package
