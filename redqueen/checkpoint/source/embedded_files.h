// The files of this folder that programs carry, as text; the build embeds them (CMakeLists.txt).
#pragma once

#include <string_view>

namespace redqueen::source {

std::string_view model_files_source();  // checkpoint/source/model_files.py
std::string_view built_from();          // the checkout of which the program was built

}  // namespace redqueen::source
