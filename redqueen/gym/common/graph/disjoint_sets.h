// A partition of 0 … n − 1 into sets that can be joined.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace redqueen {

class DisjointSets {
 public:
  // Every element by itself.
  explicit DisjointSets(int n) : parent_(static_cast<std::size_t>(n)), sets_(n) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  // The element that stands for v's set. Amortised O(log n).
  int find(int v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }

  // False if u and v are in one set already.
  bool join(int u, int v) {
    u = find(u);
    v = find(v);
    if (u == v) return false;
    parent_[u] = v;
    --sets_;
    return true;
  }

  // The number of sets.
  int sets() const { return sets_; }

 private:
  std::vector<int> parent_;
  int sets_;
};

}  // namespace redqueen
