#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The numbers, closed under NAND by trying all pairs until nothing is new.
std::set<std::int64_t> closed_under_nand(const std::vector<std::int64_t>& numbers, int bits) {
  std::set<std::int64_t> values(numbers.begin(), numbers.end());
  const std::int64_t mask = (std::int64_t{1} << bits) - 1;
  for (std::size_t before = 0; before != values.size();) {
    before = values.size();
    const std::vector<std::int64_t> known(values.begin(), values.end());
    for (const std::int64_t x : known) {
      for (const std::int64_t y : known) values.insert(~(x & y) & mask);
    }
  }
  return values;
}

TEST(NANDResultCounting, AgreesWithTheClosure) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("NANDResultCounting", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    int count = 0;
    for (const std::int64_t value :
         closed_under_nand(parameter["A"].get<std::vector<std::int64_t>>(), parameter["K"])) {
      count += value >= parameter["L"].get<std::int64_t>() &&
               value <= parameter["R"].get<std::int64_t>();
    }
    EXPECT_GT(count, 0);
    EXPECT_EQ(problem->reference(), format_answer(count)) << problem->prompt();
  }
}

TEST(NANDResultCounting, MayFindNothing) {
  const auto problem =
      restore_problem("NANDResultCounting", R"({"N": 1, "K": 3, "A": [7], "L": 1, "R": 6})");
  EXPECT_TRUE(problem->score("0").solved);
  EXPECT_EQ(problem->score("1").reward, 0.0);
  EXPECT_FALSE(problem->score("-1").well_formed);
}

}  // namespace
}  // namespace redqueen
