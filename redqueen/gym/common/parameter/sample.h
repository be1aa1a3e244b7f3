// Draws some of several items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "redqueen/base/rng.h"

namespace redqueen {

// Keeps `count` of the items, uniformly drawn and in random order; all of them if there are fewer.
template <typename Item>
void keep_sample(std::vector<Item>& items, std::size_t count, Rng& rng) {
  count = std::min(count, items.size());
  for (std::size_t i = 0; i < count; ++i) {  // the beginning of a Fisher–Yates shuffle
    std::swap(items[i], items[i + static_cast<std::size_t>(rng.below(items.size() - i))]);
  }
  items.resize(count);
}

}  // namespace redqueen
