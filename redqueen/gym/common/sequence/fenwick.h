// Prefix sums, or prefix maxima, of a list whose places change.
//
// Source: P. Fenwick, "A new data structure for cumulative frequency tables", 1994.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

namespace redqueen {

// Joins by keeping the larger; of equal ones the first.
struct KeepLarger {
  template <typename T>
  const T& operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

// Join is associative and commutative. All operations but the constructor take O(log size).
template <typename T, typename Join = std::plus<T>>
class FenwickTree {
 public:
  // Every place holds `empty`, which Join leaves other values unchanged by.
  explicit FenwickTree(std::int64_t size, T empty = T())
      : nodes_(static_cast<std::size_t>(size) + 1, empty) {}

  std::int64_t size() const { return std::ssize(nodes_) - 1; }

  // Joins `value` to what the place holds. 0 ≤ place < size.
  void join(std::int64_t place, const T& value) {
    for (std::int64_t i = place + 1; i < std::ssize(nodes_); i += i & -i) {
      nodes_[i] = Join()(nodes_[i], value);
    }
  }

  // The join of the places 0 … count − 1. 0 ≤ count ≤ size.
  T prefix(std::int64_t count) const {
    T result = nodes_[0];
    for (std::int64_t i = count; i > 0; i &= i - 1) result = Join()(result, nodes_[i]);
    return result;
  }

  // The first place, for sums of numbers ≥ 0, such that the sum over it and all places before it is
  // greater than `sum`; the size if there is none.
  std::int64_t first_beyond(T sum) const {
    std::int64_t place = 0;
    for (std::int64_t step = std::int64_t(std::bit_floor(nodes_.size())); step > 0; step /= 2) {
      if (place + step < std::ssize(nodes_) && nodes_[place + step] <= sum) {
        place += step;
        sum -= nodes_[place];
      }
    }
    return place;
  }

 private:
  std::vector<T> nodes_;  // node 0 holds `empty`
};

}  // namespace redqueen
