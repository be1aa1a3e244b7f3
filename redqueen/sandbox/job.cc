#include "redqueen/sandbox/job.h"

#include <array>

namespace redqueen {

std::string_view name_of(OutcomeStatus status) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "ok", "error", "timeout", "cpu", "memory", "output_limit", "refused", "crashed"};
  return kNames.at(static_cast<std::size_t>(status));
}

}  // namespace redqueen
