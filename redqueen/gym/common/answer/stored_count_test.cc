#include "redqueen/gym/common/answer/stored_count.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

struct Stored {
  std::int64_t reference_answer = 12;
  std::int64_t MOD = 20;
};

TEST(StoredCount, PaysByCloseness) {
  const Stored problem;
  EXPECT_EQ(StoredCount<1>::score(problem, StoredCount<1>::solve(problem)), 1.0);
  EXPECT_NEAR(StoredCount<1>::score(problem, 6), 1.0 / 1024, 1e-12);
  EXPECT_EQ(StoredCount<1>::score(problem, 0), kMalformedReward);
  EXPECT_EQ(StoredCount<0>::score(problem, 0), 0.0);
}

TEST(StoredResidue, PaysOnlyTheResidue) {
  const Stored problem;
  EXPECT_EQ(StoredResidue::score(problem, StoredResidue::solve(problem)), 1.0);
  EXPECT_EQ(StoredResidue::score(problem, 19), 0.0);
  for (const std::int64_t outside : {-1, 20, 32}) {
    EXPECT_EQ(StoredResidue::score(problem, outside), kInvalidReward);
  }
}

}  // namespace
}  // namespace redqueen
