#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

bool beginnings_are_good(const std::string& piece) {
  int excess = 0;
  for (const char c : piece) {
    if ((excess += c == 'p' ? 1 : -1) < 0) return false;
  }
  return true;
}

TEST(SaladBar, JudgesEveryPieceOfEveryString) {
  for (int n = 1; n <= 9; ++n) {
    for (std::uint32_t bits = 1; bits < 1u << n; ++bits) {
      std::string s;
      for (int i = 0; i < n; ++i) s += (bits >> i & 1) != 0 ? 'p' : 'j';
      std::vector<std::pair<int, int>> good;
      int longest = 0;
      for (int first = 0; first < n; ++first) {
        for (int end = first + 1; end <= n; ++end) {
          const std::string piece = s.substr(first, end - first);
          if (!beginnings_are_good(piece) ||
              !beginnings_are_good(std::string(piece.rbegin(), piece.rend()))) {
            continue;
          }
          good.emplace_back(first, end);
          longest = std::max(longest, end - first);
        }
      }
      const auto problem = restore_problem(
          "SaladBar", dump_json(Json{{"N", n}, {"S", s}, {"gold_answer", longest}}));
      ASSERT_NE(problem, nullptr) << s;
      ASSERT_TRUE(problem->score(problem->reference()).solved) << s;
      for (int first = 0; n <= 6 && first < n; ++first) {
        for (int end = first + 1; end <= n; ++end) {
          const bool is_good = std::ranges::find(good, std::pair(first, end)) != good.end();
          ASSERT_EQ(problem->score(fmt::format("{} {}", first, end)).reward >= 0.0, is_good) << s;
        }
      }
    }
  }
}

TEST(SaladBar, WantsTwoPlaces) {
  const auto problem = restore_problem("SaladBar", R"({"N": 4, "S": "jpjp", "gold_answer": 3})");
  EXPECT_TRUE(problem->score("1 4").solved);
  EXPECT_DOUBLE_EQ(problem->score("1 2").reward, std::pow(1.0 / 3.0, 5));
  EXPECT_EQ(problem->score("1 5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 2").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("1").well_formed);
}

}  // namespace
}  // namespace redqueen
