// The minimal excluded value, from which the Sprague–Grundy theory makes the values of impartial
// games.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace redqueen {

// A set of integers ≥ 0 that knows the least integer it lacks. One object serves for many sets:
// clear() takes constant time. Memory: the largest value inserted.
class Mex {
 public:
  void clear() { ++round_; }

  void insert(std::size_t value) {
    if (value >= marks_.size()) marks_.resize(value + 1, 0);
    marks_[value] = round_;
  }

  int least_missing() const {
    std::size_t value = 0;
    while (value < marks_.size() && marks_[value] == round_) ++value;
    return static_cast<int>(value);
  }

 private:
  std::uint32_t round_ = 1;
  std::vector<std::uint32_t> marks_;  // value → the round in which it was last inserted
};

}  // namespace redqueen
