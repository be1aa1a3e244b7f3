#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Tries all sets of windows of each length: the fewest windows, and the shortest of these.
std::pair<int, int> best_of(const std::vector<int>& bits) {
  const int n = static_cast<int>(bits.size());
  unsigned list = 0;
  for (int i = 0; i < n; ++i) list |= static_cast<unsigned>(bits[i]) << i;
  std::pair best{n + 1, 0};
  for (int k = 1; k <= n; ++k) {
    for (unsigned set = 0; set < 1U << (n - k + 1); ++set) {
      unsigned flipped = 0;
      for (int first = 0; first + k <= n; ++first) {
        if ((set >> first & 1) != 0) flipped ^= ((1U << k) - 1) << first;
      }
      if (flipped == list) best = std::min(best, {std::popcount(set), k});
    }
  }
  return best;
}

TEST(FaceRightWay, AgreesWithAllSetsOfWindows) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const auto problem = make_problem("FaceRightWay", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    auto bits = parameter["A"].get<std::vector<int>>();
    const auto [m, k] = best_of(bits);
    EXPECT_EQ(parameter["gold_answer"]["M"].get<int>(), m);
    EXPECT_EQ(parameter["gold_answer"]["K"].get<int>(), k);
    const auto windows = *parse_int_pairs(problem->reference());
    EXPECT_EQ(std::ssize(windows), m);
    for (const auto& [l, r] : windows) {
      EXPECT_EQ(r - l + 1, k);
      for (auto i = l; i <= r; ++i) bits[i - 1] ^= 1;
    }
    EXPECT_EQ(std::ranges::count(bits, 1), 0);
  }
}

TEST(FaceRightWay, PaysByNumberAndThenByLength) {
  const auto problem = restore_problem(
      "FaceRightWay", R"({"N": 6, "A": [1, 1, 0, 0, 1, 1], "reference_answer": "1 2\n5 6",
                          "gold_answer": {"K": 2, "M": 2}})");
  EXPECT_EQ(problem->score("5 6\n1 2").reward, 1.0);
  EXPECT_NEAR(problem->score("1 4\n3 6").reward, 0.5 + 0.5 / 32, 1e-12);
  EXPECT_NEAR(problem->score("1 1\n2 2\n5 5\n6 6").reward, 0.5 / 32, 1e-12);
  EXPECT_NEAR(problem->score("1 2\n5 6\n3 4\n3 4").reward, 0.5 / 32, 1e-12);
  EXPECT_EQ(problem->score("1 2").reward, -0.2);
  EXPECT_EQ(problem->score("").reward, -0.2);
  EXPECT_EQ(problem->score("1 2\n5 7").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2\n5 5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 1\n5 6").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2 5 6").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
