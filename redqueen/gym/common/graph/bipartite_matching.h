// Largest matchings of bipartite graphs.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace redqueen {

class BipartiteMatching {
 public:
  static constexpr int kNone = -1;

  // right_of[u]: the neighbours 0 … rights − 1 of left vertex u. The matching is as large as can
  // be. Along augmenting paths, one breadth-first search for each left vertex: O(V E).
  BipartiteMatching(const std::vector<std::vector<int>>& right_of, int rights)
      : partner_(right_of.size(), kNone), left_of_(static_cast<std::size_t>(rights), kNone) {
    for (std::size_t left = 0; left < right_of.size(); ++left) match_if_free(right_of, left);
    std::vector<int> from(static_cast<std::size_t>(rights));  // left vertex before, in a search
    std::vector<int> seen_by(static_cast<std::size_t>(rights), kNone);
    std::vector<int> queue;
    for (int left = 0; left < static_cast<int>(right_of.size()); ++left) {
      if (partner_[left] != kNone) continue;
      int free = kNone;
      queue.assign(1, left);
      for (std::size_t next = 0; next < queue.size() && free == kNone; ++next) {
        for (const int right : right_of[queue[next]]) {
          if (seen_by[right] == left) continue;
          seen_by[right] = left;
          from[right] = queue[next];
          if (left_of_[right] == kNone) {
            free = right;
            break;
          }
          queue.push_back(left_of_[right]);
        }
      }
      while (free != kNone) {
        const int before = from[free];
        left_of_[free] = before;
        size_ += before == left ? 1 : 0;
        free = std::exchange(partner_[before], free);
      }
    }
  }

  int size() const { return size_; }

  // The right vertex of each left one, or kNone.
  const std::vector<int>& partners() const { return partner_; }

 private:
  void match_if_free(const std::vector<std::vector<int>>& right_of, std::size_t left) {
    for (const int right : right_of[left]) {
      if (left_of_[right] != kNone) continue;
      left_of_[right] = static_cast<int>(left);
      partner_[left] = right;
      ++size_;
      return;
    }
  }

  int size_ = 0;
  std::vector<int> partner_;
  std::vector<int> left_of_;
};

}  // namespace redqueen
