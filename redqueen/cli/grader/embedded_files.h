// The files of this folder that programs carry, as text; the build embeds them (CMakeLists.txt).
#pragma once

#include <string_view>

namespace redqueen::grader {

std::string_view published_graders_source();  // cli/grader/published_graders.py

}  // namespace redqueen::grader
