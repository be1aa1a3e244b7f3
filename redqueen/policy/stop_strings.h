// Finds the place where stop strings end a response.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace redqueen {

// Finds where a text ends: just after the earliest stop string that ends beyond `from`; npos if
// there is none.
std::size_t find_stop(std::string_view text, std::size_t from,
                      const std::vector<std::string>& stops);

}  // namespace redqueen
