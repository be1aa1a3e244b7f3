#include "redqueen/gym/common/number/xor_basis.h"

#include <gtest/gtest.h>

#include <set>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(XorBasis, TakesExactlyWhatIsNoXorOfTheOthers) {
  Rng rng({.seed = 1});
  for (int round = 0; round < 50; ++round) {
    XorBasis basis;
    std::set<std::uint64_t> span{0};
    for (int i = 0; i < 9; ++i) {
      const std::uint64_t number = rng.bits() >> 59 << rng.below(2) * 59;
      std::uint64_t largest = 0;
      for (const std::uint64_t other : span) largest = std::max(largest, other ^ number);
      EXPECT_EQ(basis.largest_with(number), largest);
      EXPECT_EQ(basis.insert(number), !span.contains(number));
      for (const std::uint64_t other : std::set(span)) span.insert(other ^ number);
    }
  }
}

}  // namespace
}  // namespace redqueen
