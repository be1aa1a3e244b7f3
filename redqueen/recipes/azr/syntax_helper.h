// The Python that reads programs as data; runs in the sandbox (syntax.h).
#pragma once

#include <string_view>

namespace redqueen {

std::string_view syntax_helper_source();

}  // namespace redqueen
