#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Repeated minimum extraction.
std::vector<std::int64_t> sorted_by_selection(std::vector<std::int64_t> numbers) {
  std::vector<std::int64_t> sorted;
  while (!numbers.empty()) {
    const auto least = std::ranges::min_element(numbers);
    sorted.push_back(*least);
    numbers.erase(least);
  }
  return sorted;
}

TEST(Sorting, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("Sorting", static_cast<int>(seed % 6), seed);
    const auto array = problem->parameter()["array"].get<std::vector<std::int64_t>>();
    EXPECT_EQ(problem->reference(), format_answer(sorted_by_selection(array)));
  }
}

TEST(Sorting, PaysForPlacesThatAreRight) {
  const auto problem = restore_problem("Sorting", R"({"N": 4, "array": [4, 3, 2, 1]})");
  EXPECT_EQ(problem->score("1 2 3 4").reward, 1.0);
  EXPECT_NEAR(problem->score("1 2 4 3").reward, std::pow(0.5, 10), 1e-12);
  EXPECT_EQ(problem->score("1 2 3").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("1, 2, 3, 4").well_formed);
}

}  // namespace
}  // namespace redqueen
