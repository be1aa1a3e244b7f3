#include "redqueen/gym/common/counting/count_row.h"

#include <iterator>

namespace redqueen {
namespace {

constexpr int kLimbBits = 64;

std::int64_t limbs_for(int bits) { return (bits + kLimbBits - 1) / kLimbBits; }

// to += from, both of `used` limbs.
inline void add_limbs(std::uint64_t* to, const std::uint64_t* from, std::int64_t used) {
  unsigned char carry = 0;
  for (std::int64_t i = 0; i < used; ++i) {
    std::uint64_t sum = 0;
    const bool over = __builtin_add_overflow(to[i], from[i], &sum);
    const bool over_again = __builtin_add_overflow(sum, std::uint64_t{carry}, &to[i]);
    carry = static_cast<unsigned char>(over || over_again);
  }
}

// The same with a number of limbs that the compiler knows.
template <int Used>
inline void add_limbs(std::uint64_t* to, const std::uint64_t* from) {
  add_limbs(to, from, Used);
}

// Calls body(add) with the fastest adder of so many limbs.
template <typename Body>
void with_adder(std::int64_t used, Body body) {
  switch (used) {
    case 1:
      return body([](std::uint64_t* to, const std::uint64_t* from) { *to += *from; });
    case 2:
      return body([](std::uint64_t* to, const std::uint64_t* from) { add_limbs<2>(to, from); });
    case 3:
      return body([](std::uint64_t* to, const std::uint64_t* from) { add_limbs<3>(to, from); });
    case 4:
      return body([](std::uint64_t* to, const std::uint64_t* from) { add_limbs<4>(to, from); });
    default:
      return body(
          [used](std::uint64_t* to, const std::uint64_t* from) { add_limbs(to, from, used); });
  }
}

}  // namespace

CountRow::CountRow(std::int64_t size, int bits)
    : width_(limbs_for(bits)), limbs_(static_cast<std::size_t>(size * width_)) {}

BigInt CountRow::operator[](std::int64_t place) const {
  const auto begin = limbs_.begin() + place * width_;
  BigInt value;
  import_bits(value, begin, begin + width_, kLimbBits, false);
  return value;
}

void CountRow::add_shifted_once(std::int64_t shift, std::int64_t first, std::int64_t last,
                                int bits) {
  with_adder(limbs_for(bits), [&](auto add) {
    std::uint64_t* to = limbs_.data() + last * width_;
    for (std::int64_t place = last; place >= first; --place, to -= width_) {
      add(to, to - shift * width_);
    }
  });
}

void CountRow::add_shifted_repeatedly(std::int64_t shift, std::int64_t first, std::int64_t last,
                                      int bits) {
  with_adder(limbs_for(bits), [&](auto add) {
    std::uint64_t* to = limbs_.data() + first * width_;
    for (std::int64_t place = first; place <= last; ++place, to += width_) {
      add(to, to - shift * width_);
    }
  });
}

BigInt CountRow::convolved_at(std::int64_t place, std::span<const std::uint64_t> weights) const {
  __extension__ using Wide = unsigned __int128;
  BigInt sum = 0;
  for (std::int64_t limb = width_; limb-- > 0;) {
    // Low and high halves of the products, which do not outgrow 128 bits before 2^64 of them.
    Wide low = 0;
    Wide high = 0;
    const std::uint64_t* entry = limbs_.data() + place * width_ + limb;
    for (std::int64_t i = 0; i <= place; ++i, entry -= width_) {
      const Wide product = Wide{weights[i]} * *entry;
      low += static_cast<std::uint64_t>(product);
      high += product >> kLimbBits;
    }
    sum <<= kLimbBits;
    sum += BigInt(low) + (BigInt(high) << kLimbBits);
  }
  return sum;
}

}  // namespace redqueen
