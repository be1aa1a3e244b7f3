#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Bit by bit: the parity of the number of differences of prefix sums in which
// it is set.
std::int64_t by_parity_of_bits(const std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> prefixes{0};
  for (const std::int64_t number : numbers) prefixes.push_back(prefixes.back() + number);
  std::int64_t result = 0;
  for (int bit = 0; bit < 40; ++bit) {
    int count = 0;
    for (std::size_t to = 1; to < prefixes.size(); ++to) {
      for (std::size_t from = 0; from < to; ++from) {
        count += static_cast<int>((prefixes[to] - prefixes[from]) >> bit & 1);
      }
    }
    if (count % 2 == 1) result += std::int64_t{1} << bit;
  }
  return result;
}

TEST(SubarraySumXor, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("SubarraySumXor", static_cast<int>(seed % 21), seed);
    const auto numbers = problem->parameter()["A"].get<std::vector<std::int64_t>>();
    EXPECT_EQ(problem->reference(), format_answer(by_parity_of_bits(numbers)));
  }
}

// 1, 2, 2, 1 + 2, 2 + 2, 1 + 2 + 2: what occurs twice cancels.
TEST(SubarraySumXor, LetsEqualSumsCancel) {
  const auto problem = restore_problem("SubarraySumXor", R"({"N": 3, "A": [1, 2, 2]})");
  EXPECT_EQ(problem->score("3").reward, 1.0);
  EXPECT_EQ(problem->score("1").reward, 0.0);
  EXPECT_FALSE(problem->score("1 2").well_formed);
}

}  // namespace
}  // namespace redqueen
