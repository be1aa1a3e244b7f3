#include "redqueen/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "redqueen/base/ascii.h"

namespace redqueen {
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (ascii_lower(a[i]) == ascii_lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  // As many changes as the name has letters make anything of it.
  std::size_t best_distance = std::min(std::max<std::size_t>(2, name.size() / 3) + 1, name.size());
  for (const std::string_view candidate : candidates) {
    constexpr std::size_t kTellingLetters = 3;
    const bool begins = name.size() >= kTellingLetters && candidate.size() > name.size() &&
                        edit_distance(name, candidate.substr(0, name.size())) == 0;
    const std::size_t distance = begins ? 1 : edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best.empty() ? std::string() : fmt::format(" (did you mean {}?)", best);
}

}  // namespace redqueen
