#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(LizLollipop, FindsEverySumThatSomeBlockHas) {
  for (int n = 1; n <= 9; ++n) {
    for (std::uint32_t twos = 0; twos < 1u << n; ++twos) {
      std::vector<std::int64_t> a;
      for (int i = 0; i < n; ++i) a.push_back(1 + (twos >> i & 1));
      std::set<std::int64_t> sums;
      std::int64_t total = 0;
      for (int first = 0; first < n; ++first) {
        std::int64_t sum = 0;
        for (int last = first; last < n; ++last) sums.insert(sum += a[last]);
        if (first == 0) total = sum;
      }
      const auto problem = restore_problem("LIZ_Lollipop", dump_json(Json{{"N", n}, {"A", a}}));
      const auto blocks = *parse_int_pairs(problem->reference());
      ASSERT_EQ(std::ssize(blocks), total);
      for (std::int64_t s = 1; s <= total; ++s) {
        const auto [first, last] = blocks[s - 1];
        ASSERT_EQ(first >= 0, sums.contains(s)) << problem->prompt();
        std::int64_t sum = 0;
        for (std::int64_t i = first; first >= 0 && i <= last; ++i) sum += a[i];
        ASSERT_TRUE(first < 0 || sum == s) << problem->prompt();
      }
      ASSERT_TRUE(problem->score(problem->reference()).solved);
    }
  }
}

TEST(LizLollipop, TakesAnyBlockWithTheSum) {
  const auto problem = restore_problem("LIZ_Lollipop", R"({"N": 3, "A": [2, 1, 2]})");
  EXPECT_TRUE(problem->score("1 1\n0 0\n0 1\n-1 -1\n0 2").solved);
  EXPECT_TRUE(problem->score("1 1\n2 2\n1 2\n-1 -1\n0 2").solved);
  EXPECT_DOUBLE_EQ(problem->score("-1 -1\n2 2\n1 2\n-1 -1\n0 2").reward, std::pow(0.8, 5));
  EXPECT_EQ(problem->score("1 1\n0 0\n0 1\n-1 0\n0 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 1\n0 0\n0 1\n-1 -1").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
