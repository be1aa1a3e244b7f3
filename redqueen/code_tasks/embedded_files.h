// The Python program of this folder, as text; the build embeds it (CMakeLists.txt).
#pragma once

#include <string_view>

namespace redqueen::code_tasks {

// syntax_helper.py, which reads programs as data in the sandbox (syntax.h).
std::string_view syntax_helper_source();

}  // namespace redqueen::code_tasks
