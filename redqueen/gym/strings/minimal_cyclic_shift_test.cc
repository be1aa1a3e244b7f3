#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(MinimalCyclicShift, IsTheSmallestOfAllRotations) {
  for (int n = 1; n <= 11; ++n) {
    for (std::uint32_t bits = 0; bits < 1u << n; ++bits) {
      std::string s;
      for (int i = 0; i < n; ++i) s += (bits >> i & 1) != 0 ? '1' : '0';
      std::string smallest = s;
      for (std::string turned = s.substr(1) + s[0]; turned != s;
           turned = turned.substr(1) + turned[0]) {
        smallest = std::min(smallest, turned);
      }
      const auto problem =
          restore_problem("MinimalCyclicShift", fmt::format(R"({{"N": {}, "S": "{}"}})", n, s));
      ASSERT_EQ(problem->reference(), smallest) << s;
    }
  }
}

TEST(MinimalCyclicShift, PaysByCharacters) {
  const auto problem = restore_problem("MinimalCyclicShift", R"({"N": 4, "S": "0100"})");
  EXPECT_TRUE(problem->score("0001").solved);
  EXPECT_DOUBLE_EQ(problem->score("0011").reward, std::pow(0.75, 10));
  EXPECT_FALSE(problem->score("001").well_formed);
  EXPECT_FALSE(problem->score("0002").well_formed);
}

}  // namespace
}  // namespace redqueen
