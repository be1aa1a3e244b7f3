// The files of the page /docs/, as text; the build embeds them (CMakeLists.txt).
#pragma once

#include <string_view>

namespace redqueen::serve {

std::string_view docs_index_source();   // page/index.html
std::string_view docs_style_source();   // page/docs.css
std::string_view docs_script_source();  // page/docs.js

}  // namespace redqueen::serve
