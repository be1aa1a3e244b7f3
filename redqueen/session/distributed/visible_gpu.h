// Chooses the GPU of a rank: it sees that one and no other, so that no call of any library can
// reach another by leaving out a device's number.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace redqueen {

inline constexpr std::string_view kVisibleGpus = "CUDA_VISIBLE_DEVICES";
// Of rank 0, which sees its own GPU only: what kVisibleGpus was before, for the ranks that it
// starts; kEveryGpu where that was not set.
inline constexpr std::string_view kGpusOfRanks = "REDQUEEN_GPUS_OF_RANKS";
inline constexpr std::string_view kEveryGpu = "all";

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

// Returns what the ranks of this process, rank 0, choose from, as visible_gpu() takes it.
inline const char* gpus_of_ranks() {
  const char* kept = std::getenv(kGpusOfRanks.data());
  if (kept == nullptr) return std::getenv(kVisibleGpus.data());
  return kept == kEveryGpu ? nullptr : kept;
}

// Makes this process rank 0 of several: from now on it sees the first of its GPUs alone. Call it
// before anything has asked for GPUs, and before there are other threads.
inline void see_first_gpu() {
  const char* before = std::getenv(kVisibleGpus.data());
  const std::string own = visible_gpu(before, 0);
  ::setenv(kGpusOfRanks.data(), before == nullptr ? kEveryGpu.data() : before, 1);
  ::setenv(kVisibleGpus.data(), own.c_str(), 1);
}

// `environment` (as in environ) of a rank: it sees its GPU, and knows of no others.
inline std::vector<std::string> environment_of_rank(const char* const* environment,
                                                    const char* inherited, int rank) {
  std::vector<std::string> lines;
  const std::string begin = std::string(kVisibleGpus) + "=";
  const std::string kept = std::string(kGpusOfRanks) + "=";
  for (; *environment != nullptr; ++environment) {
    const std::string_view line = *environment;
    if (!line.starts_with(begin) && !line.starts_with(kept)) lines.emplace_back(line);
  }
  lines.push_back(begin + visible_gpu(inherited, rank));
  return lines;
}

}  // namespace redqueen
