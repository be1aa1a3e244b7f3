#include "redqueen/policy/stop_strings.h"

#include <algorithm>

namespace redqueen {

std::size_t find_stop(std::string_view text, std::size_t from,
                      const std::vector<std::string>& stops) {
  std::size_t end = std::string_view::npos;
  for (const std::string& stop : stops) {
    const std::size_t begin = from >= stop.size() ? from - stop.size() + 1 : 0;
    const std::size_t found = text.find(stop, begin);
    if (found != std::string_view::npos) end = std::min(end, found + stop.size());
  }
  return end;
}

}  // namespace redqueen
