#include "redqueen/suites/split.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

TEST(TrainingSalt, IsOfTheRunAndOfTheTrainingSplit) {
  EXPECT_EQ(training_salt(1), training_salt(1));
  EXPECT_NE(training_salt(1), training_salt(2));
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    EXPECT_EQ(split_of(training_salt(seed)), "train") << seed;
}

}  // namespace
}  // namespace redqueen
