#include "redqueen/base/rng.h"

#include <cassert>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace redqueen {
namespace {

__extension__ using Wide = unsigned __int128;

// Multipliers and Weyl increments of Philox4x64 (Salmon et al. 2011, section 4.3).
constexpr std::uint64_t kMultiplier0 = 0xD2E7470EE14C6C93ULL;
constexpr std::uint64_t kMultiplier1 = 0xCA5A826395121157ULL;
constexpr std::uint64_t kWeyl0 = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kWeyl1 = 0xBB67AE8584CAA73BULL;
constexpr int kRounds = 10;

}  // namespace

std::array<std::uint64_t, 4> philox4x64(std::array<std::uint64_t, 4> counter,
                                        std::array<std::uint64_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const Wide product0 = static_cast<Wide>(kMultiplier0) * counter[0];
    const Wide product1 = static_cast<Wide>(kMultiplier1) * counter[2];
    counter = {static_cast<std::uint64_t>(product1 >> 64) ^ counter[1] ^ key[0],
               static_cast<std::uint64_t>(product1),
               static_cast<std::uint64_t>(product0 >> 64) ^ counter[3] ^ key[1],
               static_cast<std::uint64_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

void Rng::refill() {
  if (block_ >= last_block_) throw DrawBudgetExceeded();
  buffer_ = philox4x64({block_++, address_.index, address_.step, address_.salt},
                       {address_.seed, address_.purpose});
  used_ = 0;
}

// Lemire, "Fast random integer generation in an interval" (2019), with rejection of the biased
// part.
std::uint64_t Rng::below(std::uint64_t bound) {
  assert(bound >= 1);
  Wide product = static_cast<Wide>(bits()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<Wide>(bits()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::int64_t Rng::integer(std::int64_t low, std::int64_t high) {
  assert(low <= high);
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t offset =
      width == std::numeric_limits<std::uint64_t>::max() ? bits() : below(width + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

double Rng::normal() {
  for (;;) {
    const double x = real(-1.0, 1.0);
    const double y = real(-1.0, 1.0);
    const double radius = x * x + y * y;
    if (radius > 0.0 && radius < 1.0) return x * std::sqrt(-2.0 * std::log(radius) / radius);
  }
}

std::size_t Rng::weighted(std::span<const double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  assert(total > 0.0 && std::isfinite(total));
  double left = real() * total;
  std::size_t last_possible = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0.0) continue;
    last_possible = i;
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return last_possible;  // rounding left a crumb beyond the last weight
}

// Fisher–Yates. A short range is written down; of a long one only displaced values are remembered.
std::vector<std::int64_t> Rng::sample(std::int64_t low, std::int64_t high, std::size_t count) {
  constexpr std::uint64_t kShort = 1024;
  std::vector<std::int64_t> chosen(count);
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (width < kShort) {
    std::array<std::int64_t, kShort> values;
    std::iota(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width) + 1, low);
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(values[i], values[i + static_cast<std::size_t>(below(width + 1 - i))]);
      chosen[i] = values[i];
    }
    return chosen;
  }
  std::unordered_map<std::int64_t, std::int64_t> displaced;
  const auto value_at = [&](std::int64_t place) {
    const auto found = displaced.find(place);
    return found == displaced.end() ? place : found->second;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t from = low + static_cast<std::int64_t>(i);
    const std::int64_t place = integer(from, high);
    chosen[i] = value_at(place);
    displaced[place] = value_at(from);
  }
  return chosen;
}

std::vector<int> Rng::permutation(int size) {
  std::vector<int> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  shuffle(order);
  return order;
}

}  // namespace redqueen
