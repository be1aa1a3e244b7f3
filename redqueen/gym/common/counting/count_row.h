// Rows of large counts of one width: knapsacks whose entries outgrow 64 bits, without an allocation
// for each entry.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "redqueen/base/big_int.h"

namespace redqueen {

// Entries are integers of 0 … 2^bits − 1, all of them 0 at first; it is the caller's duty that none
// outgrows that.
class CountRow {
 public:
  // size ≥ 0, bits ≥ 1.
  CountRow(std::int64_t size, int bits);

  void set_one(std::int64_t place) { limbs_[place * width_] = 1; }
  BigInt operator[](std::int64_t place) const;

  // Adds to each entry of first … last the one `shift` places before it. `bits` bounds all entries
  // that take part, sums included. 1 ≤ shift ≤ first, last < size.
  //
  // Once: an item of weight `shift` is used or not, so the places are taken from last to first.
  void add_shifted_once(std::int64_t shift, std::int64_t first, std::int64_t last, int bits);
  // Repeatedly: it is used any number of times, so they are taken from first to last.
  void add_shifted_repeatedly(std::int64_t shift, std::int64_t first, std::int64_t last, int bits);

  // Σ weights[i] · entry (place − i), over i = 0 … place. place < size, place < weights.size().
  BigInt convolved_at(std::int64_t place, std::span<const std::uint64_t> weights) const;

 private:
  std::int64_t width_;  // limbs of an entry
  std::vector<std::uint64_t> limbs_;
};

}  // namespace redqueen
