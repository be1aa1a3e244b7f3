#include "redqueen/gym/common/game/mex.h"

#include <gtest/gtest.h>

#include <set>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(Mex, AgreesWithASearchOfTheSet) {
  Rng rng({.seed = 1});
  Mex mex;
  for (int round = 0; round < 200; ++round) {
    mex.clear();
    std::set<int> values;
    for (std::int64_t count = rng.integer(0, 12); count > 0; --count) {
      const int value = static_cast<int>(rng.integer(0, 9));
      values.insert(value);
      mex.insert(static_cast<std::size_t>(value));
    }
    int least = 0;
    while (values.contains(least)) ++least;
    EXPECT_EQ(mex.least_missing(), least);
  }
}

}  // namespace
}  // namespace redqueen
