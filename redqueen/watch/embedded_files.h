// The files of the page, as text; the build embeds them (CMakeLists.txt).
#pragma once

#include <string_view>

namespace redqueen::watch {

std::string_view index_source();        // page/index.html
std::string_view style_source();        // page/page.css
std::string_view script_source();       // the scripts of page/, one after the other
std::string_view uplot_source();        // third_party/uplot/uplot.js
std::string_view uplot_style_source();  // third_party/uplot/uplot.css

}  // namespace redqueen::watch
