// The Python program of this folder, as text; the build embeds it (CMakeLists.txt).
#pragma once

#include <string_view>

namespace redqueen::data_sets {

// test_helper.py, which runs programs and their tests in the sandbox (separate_tests.h).
std::string_view test_helper_source();

}  // namespace redqueen::data_sets
