// Chains: longest increasing subsequences and their like.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace redqueen {

enum class Equal {
  kBreaks,  // each value is greater than the one before it
  kKeeps,   // no value is less than the one before it
};

// For every place, the length of the longest chain that ends there. O(n log n).
std::vector<int> chain_lengths(std::span<const std::int64_t> values, Equal equal);

// The length of the longest chain; 0 of no values.
std::int64_t longest_chain_length(std::span<const std::int64_t> values, Equal equal);

// The places of a longest chain, ascending.
std::vector<std::int64_t> longest_chain(std::span<const std::int64_t> values, Equal equal);

}  // namespace redqueen
