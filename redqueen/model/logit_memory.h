// Bounds the part of a [tokens, vocabulary] matrix of logits that exists at a time. Free of
// libtorch, so that the plan of memory (train/memory_plan.h) and the passes count alike.
#pragma once

#include <algorithm>
#include <cstdint>

namespace redqueen {

// In numbers of 4 bytes.
struct LogitMemory {
  std::int64_t tile = std::int64_t{1} << 22;  // computed at once
  // Kept for the backward pass, which computes the rest again.
  std::int64_t kept = std::int64_t{1} << 26;
  // The least rows of a tile: a product with fewer reads more weights than it multiplies.
  std::int64_t least_rows = 256;
};

// On a CPU tiles fit its caches and what small vocabularies need is kept; a GPU takes larger
// products, and computing logits again costs it less than the memory is worth.
constexpr LogitMemory logit_memory(bool on_gpu) {
  if (!on_gpu) return {};
  return {.tile = std::int64_t{1} << 26, .kept = 0, .least_rows = 4096};
}

// Tokens and vocabulary entries of a tile.
struct LogitTile {
  std::int64_t rows = 1, columns = 1;
};

// Tiles have the whole vocabulary where that leaves them enough rows.
constexpr LogitTile logit_tile(const LogitMemory& memory, std::int64_t tokens,
                               std::int64_t vocabulary) {
  LogitTile tile;
  tile.rows = std::max(memory.tile / vocabulary, std::min(memory.least_rows, tokens));
  tile.rows = std::max<std::int64_t>(1, std::min(tile.rows, tokens));
  tile.columns = std::clamp<std::int64_t>(memory.tile / tile.rows, 1, vocabulary);
  return tile;
}

}  // namespace redqueen
