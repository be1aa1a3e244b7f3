// The files of this folder that programs carry, as text; the build embeds them (CMakeLists.txt).
#pragma once

#include <string_view>

namespace redqueen::bench {

std::string_view programs_source();  // cli/bench/programs.py

}  // namespace redqueen::bench
