#include "redqueen/gym/common/answer/residue_answer.h"

#include <gtest/gtest.h>

#include "redqueen/core/answer.h"

namespace redqueen {
namespace {

TEST(ResidueReward, TellsRightFromWrongFromOutOfRange) {
  EXPECT_EQ(residue_reward(3, 3, 7), 1.0);
  EXPECT_EQ(residue_reward(0, 3, 7), 0.0);
  EXPECT_EQ(residue_reward(6, 3, 7), 0.0);
  for (const std::int64_t outside :
       {std::int64_t{-4}, std::int64_t{7}, std::int64_t{10}, kHugePositive, kHugeNegative}) {
    EXPECT_EQ(residue_reward(outside, 3, 7), kInvalidReward) << outside;
  }
}

}  // namespace
}  // namespace redqueen
