#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Subarray by subarray.
std::int64_t added_one_by_one(const std::vector<std::int64_t>& numbers) {
  std::int64_t sum = 0;
  for (std::size_t from = 0; from < numbers.size(); ++from) {
    std::int64_t value = 0;
    for (std::size_t to = from; to < numbers.size(); ++to) {
      value ^= numbers[to];
      sum += value;
    }
  }
  return sum;
}

TEST(SubarrayXorSum, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("SubarrayXorSum", static_cast<int>(seed % 21), seed);
    const auto numbers = problem->parameter()["A"].get<std::vector<std::int64_t>>();
    EXPECT_EQ(problem->reference(), format_answer(added_one_by_one(numbers)));
  }
}

TEST(SubarrayXorSum, PaysOnlyTheExactSum) {
  const auto problem = restore_problem("SubarrayXorSum", R"({"N": 3, "A": [2, 0, 1]})");
  EXPECT_EQ(problem->score("9").reward, 1.0);
  EXPECT_EQ(problem->score("10").reward, 0.0);
  EXPECT_EQ(problem->score("-9").reward, 0.0);
  EXPECT_FALSE(problem->score("9 1").well_formed);
}

}  // namespace
}  // namespace redqueen
