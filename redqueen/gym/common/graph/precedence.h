// Conditions "a before b" on the items 0 … n − 1, and orders of the items that keep them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/gym/common/graph/edges.h"

namespace redqueen {

// An error that names the key unless there is a condition, all are pairs of two of the items, none
// comes twice, and some order keeps them all. n ≤ kMaxVertices.
Status check_conditions(std::string_view key, int n, const std::vector<Edge>& conditions);

// True if `order` lists each of 0 … n − 1 once.
bool is_permutation_of(int n, std::span<const std::int64_t> order);

// The number of conditions that an order of all items keeps.
std::int64_t conditions_kept(std::span<const std::int64_t> order,
                             const std::vector<Edge>& conditions);

// The order that takes, again and again, the smallest item all of whose predecessors are taken;
// nullopt if conditions contradict each other. O(n² + n·conditions).
std::optional<std::vector<std::int64_t>> smallest_first(int n, const std::vector<Edge>& conditions);

}  // namespace redqueen
