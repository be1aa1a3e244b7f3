#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Every sequence of up to `length` digits without leading zeros, by its value.
std::map<std::int64_t, std::vector<std::int64_t>> representations(std::int64_t base, int length) {
  std::map<std::int64_t, std::vector<std::int64_t>> found;
  std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> layer{{0, {}}};
  for (int i = 0; i < length; ++i) {
    std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> next;
    for (const auto& [value, digits] : layer) {
      for (std::int64_t d = digits.empty() ? 1 : 0; d < base; ++d) {
        auto longer = digits;
        longer.push_back(d);
        next.emplace_back(value * -base + d, longer);
        EXPECT_TRUE(found.emplace(next.back()).second) << "two ways to write a number";
      }
    }
    layer = next;
  }
  return found;
}

TEST(NegativeBase, AgreesWithAllDigitSequences) {
  for (const std::int64_t base : {2, 3, 7, 10}) {
    const auto table = representations(base, base == 2 ? 9 : 4);
    for (std::int64_t n = -20; n <= 40; ++n) {
      if (n == 0 || !table.contains(n)) continue;
      const auto problem = restore_problem(
          "NegativeBase",
          fmt::format(R"({{"MAX_N": 99, "MAX_R": 16, "N": {}, "R": {}}})", n, base));
      EXPECT_EQ(problem->reference(), format_answer(table.at(n))) << n << " in base -" << base;
    }
  }
}

TEST(NegativeBase, PaysForDigitsInPlace) {
  const auto problem =
      restore_problem("NegativeBase", R"({"MAX_N": 9, "MAX_R": 9, "N": 2, "R": 2})");
  EXPECT_TRUE(problem->score("1 1 0").solved);
  EXPECT_NEAR(problem->score("1 0 0").reward, 2.0 / 3.0, 1e-12);
  EXPECT_EQ(problem->score("0 1 1 0").reward, 0.0) << "no leading zeros";
  EXPECT_EQ(problem->score("110").reward, 0.0);
  EXPECT_FALSE(problem->score("1, 1, 0").well_formed);
}

}  // namespace
}  // namespace redqueen
