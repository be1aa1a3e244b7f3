#include "redqueen/sandbox/job.h"

#include <algorithm>
#include <array>

namespace redqueen::sandbox {

bool is_file_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 100 && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), fits);
}

std::string_view name_of(OutcomeStatus status) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "ok", "error", "timeout", "cpu", "memory", "output_limit", "refused", "crashed"};
  return kNames.at(static_cast<std::size_t>(status));
}

}  // namespace redqueen::sandbox
