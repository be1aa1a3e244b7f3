#include "redqueen/arena/environments/numpy_random.h"

#include <array>
#include <bit>
#include <cmath>

#include "redqueen/arena/environments/ziggurat_tables.h"

namespace redqueen::arena {
namespace {

__extension__ using Word128 = unsigned __int128;

constexpr Word128 kMultiplier = (Word128{0x2360ed051fc65da4} << 64) | Word128{0x4385df649fccf645};

// SeedSequence(entropy): a pool of four words, in which every word of the entropy moves every bit.
class SeedSequence {
 public:
  explicit SeedSequence(std::uint64_t entropy) {
    const std::array<std::uint32_t, 4> words{static_cast<std::uint32_t>(entropy),
                                             static_cast<std::uint32_t>(entropy >> 32), 0, 0};
    for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i] = hash(words[i]);
    for (std::size_t source = 0; source < pool_.size(); ++source) {
      for (std::size_t target = 0; target < pool_.size(); ++target) {
        if (source != target) pool_[target] = mix(pool_[target], hash(pool_[source]));
      }
    }
  }

  // generate_state(4, uint64): low half first.
  std::array<std::uint64_t, 4> state() const {
    std::uint32_t constant = 0x8b51f9dd;
    std::array<std::uint64_t, 4> words{};
    for (std::size_t i = 0; i < 2 * words.size(); ++i) {
      std::uint32_t value = pool_[i % pool_.size()] ^ constant;
      constant *= 0x58f38ded;
      value *= constant;
      value ^= value >> 16;
      words[i / 2] |= std::uint64_t{value} << (32 * (i % 2));
    }
    return words;
  }

 private:
  std::uint32_t hash(std::uint32_t value) {
    value ^= constant_;
    constant_ *= 0x931e8875;
    value *= constant_;
    return value ^ (value >> 16);
  }

  static std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t result = 0xca01f9dd * x - 0x4973f715 * y;
    return result ^ (result >> 16);
  }

  std::uint32_t constant_ = 0x43b0d7e5;
  std::array<std::uint32_t, 4> pool_{};
};

constexpr std::uint64_t kLow32 = 0xffffffff;

}  // namespace

NumpyRandom::NumpyRandom(std::uint64_t seed) {
  const auto words = SeedSequence(seed).state();
  increment_ = (((Word128{words[2]} << 64) | words[3]) << 1) | 1;
  state_ = increment_;  // one step from 0
  state_ += (Word128{words[0]} << 64) | words[1];
  state_ = state_ * kMultiplier + increment_;
}

std::uint64_t NumpyRandom::next64() {
  state_ = state_ * kMultiplier + increment_;
  const auto folded = static_cast<std::uint64_t>(state_ >> 64) ^ static_cast<std::uint64_t>(state_);
  return std::rotr(folded, static_cast<int>(state_ >> 122));
}

std::uint32_t NumpyRandom::next32() {
  if (has_half_) {
    has_half_ = false;
    return half_;
  }
  const std::uint64_t word = next64();
  has_half_ = true;
  half_ = static_cast<std::uint32_t>(word >> 32);
  return static_cast<std::uint32_t>(word);
}

std::int64_t NumpyRandom::integers(std::int64_t low, std::int64_t high) {
  // The sum wraps as NumPy's does, so that the whole range of 64 bits can be asked for.
  const auto at = [low](std::uint64_t offset) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  };
  const std::uint64_t most = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) - 1;
  if (most == 0) return low;
  if (most == kLow32) return at(next32());
  if (most < kLow32) {
    const auto range = static_cast<std::uint32_t>(most + 1);
    const auto threshold = static_cast<std::uint32_t>(-range) % range;
    std::uint64_t product = std::uint64_t{next32()} * range;
    while (static_cast<std::uint32_t>(product) < threshold) {
      product = std::uint64_t{next32()} * range;
    }
    return at(product >> 32);
  }
  const std::uint64_t range = most + 1;
  const std::uint64_t threshold = -range % range;
  Word128 product = Word128{next64()} * range;
  while (static_cast<std::uint64_t>(product) < threshold) product = Word128{next64()} * range;
  return at(static_cast<std::uint64_t>(product >> 64));
}

std::uint32_t NumpyRandom::interval(std::uint32_t most) {
  if (most == 0) return 0;
  const std::uint32_t mask = kLow32 >> std::countl_zero(most);
  std::uint32_t value = next32() & mask;
  while (value > most) value = next32() & mask;
  return value;
}

double NumpyRandom::standard_normal() {
  for (;;) {
    const std::uint64_t word = next64();
    const std::size_t layer = word & 0xff;
    const bool negative = ((word >> 8) & 1) != 0;
    const std::uint64_t draw = (word >> 9) & 0x000fffffffffffff;
    double x = static_cast<double>(draw) * ziggurat::kWidth[layer];
    if (negative) x = -x;
    if (draw < ziggurat::kAccept[layer]) return x;  // 99.3 % of all draws
    if (layer == 0) return normal_tail(((draw >> 8) & 1) != 0);
    const double above = ziggurat::kDensity[layer - 1] - ziggurat::kDensity[layer];
    if (above * random() + ziggurat::kDensity[layer] < std::exp(-0.5 * x * x)) return x;
  }
}

double NumpyRandom::normal_tail(bool negative) {
  constexpr double kRadius = 3.6541528853610087963519472518;
  constexpr double kInverseRadius = 0.27366123732975827203338247596;
  for (;;) {
    const double x = -kInverseRadius * std::log1p(-random());
    const double y = -std::log1p(-random());
    if (y + y > x * x) return negative ? -(kRadius + x) : kRadius + x;
  }
}

}  // namespace redqueen::arena
