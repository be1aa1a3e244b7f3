// Linear independence of integers under bitwise XOR, that is over the field of two elements.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace redqueen {

class XorBasis {
 public:
  // True if no set of the numbers inserted so far has the XOR `number`: then it joins them.
  bool insert(std::uint64_t number) {
    while (number != 0) {
      const auto top = static_cast<std::size_t>(std::bit_width(number)) - 1;
      if (rows_[top] == 0) {
        rows_[top] = number;
        return true;
      }
      number ^= rows_[top];
    }
    return false;
  }

  // The largest XOR of `number` with some of the numbers inserted so far, or none.
  std::uint64_t largest_with(std::uint64_t number) const {
    for (std::size_t bit = rows_.size(); bit-- > 0;) number = std::max(number, number ^ rows_[bit]);
    return number;
  }

 private:
  std::array<std::uint64_t, 64> rows_{};  // at a bit: the row with this highest bit, or 0
};

}  // namespace redqueen
