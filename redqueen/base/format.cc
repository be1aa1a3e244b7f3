#include "redqueen/base/format.h"

#include <iterator>

namespace redqueen {

void append_formatted(std::string& text, fmt::string_view format, fmt::format_args args) {
  fmt::vformat_to(std::back_inserter(text), format, args);
}

}  // namespace redqueen
