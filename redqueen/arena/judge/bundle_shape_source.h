// The text of bundle_shape.py; made by the build.
#pragma once

#include <string_view>

namespace redqueen::arena {

std::string_view bundle_shape_source();

}  // namespace redqueen::arena
