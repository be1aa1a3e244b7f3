// NumPy's random numbers, bit for bit: Generator(PCG64(SeedSequence(seed))) as
// gymnasium.utils.seeding.np_random(seed) makes it. Only what environments draw is here.
//
// Sources: M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good
// Algorithms for Random Number Generation" (2014), XSL-RR 128/64; D. Lemire, "Fast Random Integer
// Generation in an Interval" (2019); G. Marsaglia and W. W. Tsang, "The Ziggurat Method for
// Generating Random Variables" (2000); the entropy pool of SeedSequence is O'Neill's randutils.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace redqueen::arena {

// A stream of draws; a function of its seed. The methods are named as those of NumPy's Generator
// and draw the same numbers in the same order.
class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);

  // random(): [0, 1), 53 bits.
  double random() { return static_cast<double>(next64() >> 11) * 0x1p-53; }

  // uniform(low, high).
  double uniform(double low, double high) { return low + (high - low) * random(); }

  // integers(low, high): [low, high), low < high.
  std::int64_t integers(std::int64_t low, std::int64_t high);

  // standard_normal().
  double standard_normal();

  // choice(list) of a non-empty list: the index that it takes.
  std::size_t choice(std::size_t size) {
    return static_cast<std::size_t>(integers(0, static_cast<std::int64_t>(size)));
  }

  // shuffle(list), in place.
  template <typename T>
  void shuffle(std::span<T> list) {
    for (std::size_t i = list.size(); i-- > 1;) {
      std::swap(list[i], list[interval(static_cast<std::uint32_t>(i))]);
    }
  }

  // The generator's raw words.
  std::uint64_t next64();
  // Half a word; the other half is kept for the next call.
  std::uint32_t next32();

 private:
  __extension__ using Word128 = unsigned __int128;

  // 0, …, most, by masking and rejecting, as shuffle() draws.
  std::uint32_t interval(std::uint32_t most);
  double normal_tail(bool negative);

  Word128 state_ = 0;
  Word128 increment_ = 0;
  std::uint32_t half_ = 0;
  bool has_half_ = false;
};

}  // namespace redqueen::arena
