#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Every set of indices up to 12, with elements by the recurrence.
TEST(RecursiveSequenceSumConstruction, JudgesAllSetsOfIndices) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem =
        make_problem("RecursiveSequenceSumConstruction", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const auto target = parameter["S"].get<std::int64_t>();
    std::vector<std::int64_t> elements{parameter["F0"].get<std::int64_t>()};
    for (int n = 1; n <= 10; ++n) {
      elements.push_back(parameter["A"].get<std::int64_t>() * elements.back() +
                         parameter["B"].get<std::int64_t>());
    }
    int solutions = 0;
    for (std::uint32_t chosen = 1; chosen < 1u << 10; ++chosen) {
      std::vector<std::int64_t> indices;
      std::int64_t sum = 0;
      for (int n = 1; n <= 10; ++n) {
        if ((chosen >> (n - 1) & 1) == 0) continue;
        indices.push_back(n);
        sum += elements[n];
      }
      EXPECT_EQ(problem->score(format_answer(indices)).solved, sum == target);
      solutions += sum == target;
    }
    EXPECT_GE(solutions, 1);
  }
}

TEST(RecursiveSequenceSumConstruction, TakesLargeIndicesOfAnArithmeticSequence) {
  const auto problem = restore_problem(
      "RecursiveSequenceSumConstruction",
      R"({"F0": 0, "A": 1, "B": 1, "S": 55, "reference_answer": "1 2 3 4 5 6 7 8 9 10"})");
  EXPECT_TRUE(problem->score("55").solved);
  EXPECT_TRUE(problem->score("50 5").solved);
  EXPECT_EQ(problem->score("54").reward, 0.0);
  EXPECT_EQ(problem->score("50 5 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("5 5 45").reward, kInvalidReward);
  EXPECT_EQ(problem->score("9223372036854775807").reward, 0.0);
  EXPECT_FALSE(problem->score("").well_formed);
}

TEST(RecursiveSequenceSumConstruction, StopsAtIndicesBeyondTheSum) {
  const auto problem =
      restore_problem("RecursiveSequenceSumConstruction",
                      R"({"F0": 1, "A": 2, "B": 0, "S": 10, "reference_answer": "1 3"})");
  EXPECT_TRUE(problem->score("3 1").solved);
  EXPECT_EQ(problem->score("1000000000000").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
