// Addressed randomness: any random number can be made again from its address alone.
//
// Philox4x64-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) turns a
// 128-bit key and a 256-bit counter into 256 random bits. The key is (run seed, purpose), three
// words of the counter are (index, step, salt) and the fourth counts the blocks drawn.
// Distributions are our own: those of <random> differ between standard libraries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace redqueen {

// 64-bit FNV-1a of a name: the key word of a purpose or an environment. Stable for ever.
constexpr std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

// The address of a stream of random numbers.
struct RandomAddress {
  std::uint64_t seed = 0;     // of the run
  std::uint64_t purpose = 0;  // hash_name("sampling"), hash_name("curriculum"), …
  std::uint64_t step = 0;
  std::uint64_t index = 0;  // of the problem, rollout, … within the step
  std::uint64_t salt = 0;   // anything more: an attempt, say
  bool operator==(const RandomAddress&) const = default;
};

// One block of Philox4x64-10. Equals numpy.random.Philox's for the same counter and key.
std::array<std::uint64_t, 4> philox4x64(std::array<std::uint64_t, 4> counter,
                                        std::array<std::uint64_t, 2> key);

// Thrown by an Rng that has drawn more than its budget. Generators do not catch it: it ends an
// attempt that would otherwise never end, after the same number of draws on every machine.
struct DrawBudgetExceeded : std::runtime_error {
  DrawBudgetExceeded() : std::runtime_error("the draw budget of this problem is used up") {}
};

// A stream at an address. A value: a copy draws the same numbers again. Not for sharing between
// threads.
class Rng {
 public:
  explicit Rng(const RandomAddress& address) : address_(address) {}

  // After `blocks` more blocks of four words, drawing throws DrawBudgetExceeded.
  void set_budget(std::uint64_t blocks) { last_block_ = block_ + blocks; }

  // 64 uniform bits.
  std::uint64_t bits() {
    if (used_ == 4) refill();
    return buffer_[used_++];
  }

  // Uniform in [0, bound), without bias. bound ≥ 1.
  std::uint64_t below(std::uint64_t bound);

  // Uniform in [low, high], both ends included, without bias. low ≤ high.
  std::int64_t integer(std::int64_t low, std::int64_t high);

  // Uniform in [0, 1), a multiple of 2^-53.
  double real() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  // Uniform in [low, high).
  double real(double low, double high) { return low + (high - low) * real(); }

  // True with the given probability.
  bool chance(double probability) { return real() < probability; }

  // Normal with mean 0 and deviation 1 (polar method of Marsaglia).
  double normal();

  // An index, with probability proportional to its weight. Weights are finite, none negative, their
  // sum positive.
  std::size_t weighted(std::span<const double> weights);

  // Uniform random order, in place (Fisher–Yates).
  template <typename Container>
  void shuffle(Container& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      using std::swap;
      swap(items[i - 1], items[below(i)]);
    }
  }

  // A uniform element. `items` is not empty.
  template <typename Container>
  auto& choice(Container& items) {
    return items[below(items.size())];
  }

  // `count` different integers of [low, high] in random order. O(count) memory, whatever the range.
  // count ≤ high − low + 1.
  std::vector<std::int64_t> sample(std::int64_t low, std::int64_t high, std::size_t count);

  // A uniform permutation of 0, 1, …, size − 1.
  std::vector<int> permutation(int size);

 private:
  void refill();

  RandomAddress address_;
  std::uint64_t block_ = 0;
  std::uint64_t last_block_ = std::numeric_limits<std::uint64_t>::max();
  std::array<std::uint64_t, 4> buffer_{};
  unsigned used_ = 4;  // words of buffer_ already handed out
};

}  // namespace redqueen
