// Divides the optimizer's state among the processes that train the same parameters (Rajbhandari et
// al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", 2020). Free of
// libtorch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "redqueen/base/enum_names.h"

namespace redqueen {

enum class Sharding {
  kNone,       // every process has all of it
  kOptimizer,  // moments and float32 masters are shared out (ZeRO-1)
  kGradients,  // and so are the gradients, after every micro-batch (ZeRO-2)
};

inline constexpr auto kShardingNames = enum_names<Sharding>({{"none", Sharding::kNone},
                                                             {"optimizer", Sharding::kOptimizer},
                                                             {"gradients", Sharding::kGradients}});

// The numbers that a message between processes holds at most, of all of them together.
inline constexpr std::int64_t kMessageNumbers = std::int64_t{1} << 24;

// The place of a process among those that share.
struct Share {
  int rank = 0;
  int size = 1;

  bool operator==(const Share&) const = default;
};

// The state that processes share, and the index of this one; alone, it shares nothing.
struct Sharing {
  Sharding what = Sharding::kNone;
  Share place;
};

// Numbers [begin, begin + count) of a tensor of so many.
struct Slice {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

// Equal slices, rounded up, one after the other: the last may be shorter, or empty.
inline std::int64_t slice_length(std::int64_t numbers, int size) {
  return (numbers + size - 1) / size;
}

inline Slice slice_of(std::int64_t numbers, const Share& share) {
  const std::int64_t length = slice_length(numbers, share.size);
  const std::int64_t begin = std::min(numbers, share.rank * length);
  return {begin, std::min(length, numbers - begin)};
}

}  // namespace redqueen
