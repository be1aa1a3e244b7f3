#include "redqueen/gym/common/sequence/segments.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

TEST(Segments, LieWithinTheirRange) {
  EXPECT_TRUE(check_segments("s", std::vector<Segment>{{1, 3}, {2, 2}}, 2, 1, 3).has_value());
  EXPECT_FALSE(check_segments("s", std::vector<Segment>{{1, 3}}, 2, 1, 3).has_value());
  EXPECT_FALSE(check_segments("s", std::vector<Segment>{{0, 3}}, 1, 1, 3).has_value());
  EXPECT_FALSE(check_segments("s", std::vector<Segment>{{1, 4}}, 1, 1, 3).has_value());
  EXPECT_FALSE(check_segments("s", std::vector<Segment>{{3, 2}}, 1, 1, 3).has_value());
  const auto priced = [](std::int64_t price) {
    return check_segments("s", std::vector<PricedSegment>{{1, 3, price}}, 1, 1, 3, 5).has_value();
  };
  EXPECT_TRUE(priced(1) && priced(5));
  EXPECT_FALSE(priced(0) || priced(6));
}

TEST(Segments, AreShownWithTheirNumbers) {
  EXPECT_EQ(format_segments(std::vector<Segment>{{1, 3}, {2, 2}}), "0 1 3\n1 2 2");
  EXPECT_EQ(format_segments(std::vector<PricedSegment>{{1, 3, 9}, {2, 2, 4}}), "0 1 3 9\n1 2 2 4");
}

}  // namespace
}  // namespace redqueen
