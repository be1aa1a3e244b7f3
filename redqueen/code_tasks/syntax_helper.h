// The Python that reads programs as data, syntax_helper.py; runs in the sandbox (syntax.h).
#pragma once

#include <string_view>

namespace redqueen::code_tasks {

std::string_view syntax_helper_source();  // embedded when the engine is built

}  // namespace redqueen::code_tasks
