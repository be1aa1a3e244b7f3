#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Extends B place by place through all values.
std::int64_t arrays_from(const std::vector<std::int64_t>& a, std::int64_t values, std::size_t place,
                         std::int64_t last_and, std::int64_t last_or) {
  if (place == a.size()) return 1;
  std::int64_t count = 0;
  for (std::int64_t b = 0; b < values; ++b) {
    if (place > 0 && ((a[place] & b) < last_and || (a[place] | b) > last_or)) continue;
    count += arrays_from(a, values, place + 1, a[place] & b, a[place] | b);
  }
  return count;
}

TEST(AndOr_Sequence_Counting, AgreesWithBruteForce) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem = make_problem("AndOr_Sequence_Counting", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    if (parameter["N"].get<int>() * parameter["M"].get<int>() > 14) continue;
    ++compared;
    const std::int64_t values = std::int64_t{1} << parameter["M"].get<int>();
    EXPECT_EQ(problem->reference(),
              format_answer(
                  arrays_from(parameter["A"].get<std::vector<std::int64_t>>(), values, 0, 0, 0)))
        << problem->prompt();
  }
  EXPECT_GT(compared, 20);
}

TEST(AndOr_Sequence_Counting, DoesNotCallANearMissSolved) {
  const auto problem = make_problem("AndOr_Sequence_Counting", 12, 3);
  const BigInt count(problem->reference());
  EXPECT_TRUE(problem->score(format_answer(count)).solved);
  EXPECT_FALSE(problem->score(format_answer(BigInt(count + 1))).solved);
}

}  // namespace
}  // namespace redqueen
