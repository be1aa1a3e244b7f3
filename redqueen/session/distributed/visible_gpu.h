// Chooses the GPU of a rank: it sees that one and no other, so that no call of any library can
// reach another by leaving out a device's number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redqueen {

inline constexpr std::string_view kVisibleGpus = "CUDA_VISIBLE_DEVICES";

// Returns the value of CUDA_VISIBLE_DEVICES for a process that is to see the `rank`-th of the GPUs
// that this one sees. `inherited` is its value here, null where it is not set: numbers or names
// between commas, of which CUDA reads those before the first that is none. Empty, no GPU, where
// there are fewer.
inline std::string visible_gpu(const char* inherited, int rank) {
  if (inherited == nullptr) return std::to_string(rank);
  std::string_view rest = inherited;
  for (int place = 0;; ++place) {
    const std::string_view name = rest.substr(0, rest.find(','));
    if (name.empty() || name == "-1") return "";
    if (place == rank) return std::string(name);
    if (name.size() == rest.size()) return "";
    rest.remove_prefix(name.size() + 1);
  }
}

// `environment` (as in environ) with that variable, instead of what it has of it.
inline std::vector<std::string> environment_of_rank(const char* const* environment,
                                                    const char* inherited, int rank) {
  std::vector<std::string> lines;
  const std::string begin = std::string(kVisibleGpus) + "=";
  for (; *environment != nullptr; ++environment) {
    if (!std::string_view(*environment).starts_with(begin)) lines.emplace_back(*environment);
  }
  lines.push_back(begin + visible_gpu(inherited, rank));
  return lines;
}

}  // namespace redqueen
