#include "redqueen/decode/decode_kernels.h"

#include <algorithm>

namespace redqueen {

int attend_splits(std::int64_t rows, int kv_heads) {
  constexpr std::int64_t kBlocks = 1024, kMost = 32;
  return static_cast<int>(std::clamp<std::int64_t>(kBlocks / (rows * kv_heads), 1, kMost));
}

bool attends(int heads, int kv_heads, int head_dim) {
  return (head_dim == 64 || head_dim == 128 || head_dim == 256) && heads % kv_heads == 0 &&
         heads / kv_heads <= kMostQueries;
}

}  // namespace redqueen
