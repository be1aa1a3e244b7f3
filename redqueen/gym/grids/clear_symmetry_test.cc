#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All symmetric matrices without ones side by side, by their upper left quarters.
TEST(ClearSymmetry, AgreesWithAllSymmetricMatrices) {
  std::map<int, int> smallest;  // side by number of ones
  for (int n = 1; n <= 7; ++n) {
    const int half = (n + 1) / 2;
    for (unsigned quarter = 0; quarter < 1u << (half * half); ++quarter) {
      const auto at = [&](int i, int j) {
        return static_cast<int>(
            quarter >> (std::min(i, n - 1 - i) * half + std::min(j, n - 1 - j)) & 1);
      };
      int ones = 0;
      bool apart = true;
      for (int i = 0; i < n && apart; ++i) {
        for (int j = 0; j < n && apart; ++j) {
          ones += at(i, j);
          if (i > 0 && at(i, j) + at(i - 1, j) == 2) apart = false;
          if (j > 0 && at(i, j) + at(i, j - 1) == 2) apart = false;
        }
      }
      if (apart) smallest.try_emplace(ones, n);
    }
  }
  for (int x = 1; x <= 25; ++x) {
    const auto problem = restore_problem("ClearSymmetry", fmt::format(R"({{"x": {}}})", x));
    EXPECT_EQ(problem->reference(), std::to_string(smallest.at(x))) << x;
  }
}

TEST(ClearSymmetry, DrawsEverySideAsOften) {
  std::map<std::string, int> sides;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const auto problem = make_problem("ClearSymmetry", 2, seed);
    EXPECT_LE(problem->parameter()["x"].get<int>(), 10);
    ++sides[problem->reference()];
  }
  ASSERT_EQ(sides.size(), 3u);
  for (const auto& [side, count] : sides) EXPECT_NEAR(count, 200, 60) << side;
}

}  // namespace
}  // namespace redqueen
