#include "redqueen/gym/common/parameter/numbers.h"

#include <gmock/gmock.h>

#include <set>

namespace redqueen {
namespace {

TEST(Numbers, AreDrawnFromTheWholeRange) {
  Rng rng({.purpose = hash_name("numbers")});
  const auto numbers = draw_numbers(200, -1, 2, rng);
  EXPECT_EQ(std::set(numbers.begin(), numbers.end()), (std::set<std::int64_t>{-1, 0, 1, 2}));
}

TEST(Numbers, AreCheckedForCountAndRange) {
  EXPECT_TRUE(check_numbers("A", {1, 3}, 2, 1, 3));
  EXPECT_FALSE(check_numbers("A", {0, 3}, 2, 1, 3));
  EXPECT_FALSE(check_numbers("A", {1, 4}, 2, 1, 3));
  const Status few = check_numbers("A", {1}, 2, 1, 3);
  ASSERT_FALSE(few);
  EXPECT_THAT(few.error().message, testing::HasSubstr("\"A\""));
}

}  // namespace
}  // namespace redqueen
