#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All choices of operators, evaluated from left to right.
int choices_by_trial(const std::vector<std::string>& strings, const std::string& wanted) {
  int count = 0;
  for (std::uint32_t choice = 0; choice < (1u << (strings.size() - 1)); ++choice) {
    std::string result = strings[0];
    for (std::size_t i = 1; i < strings.size(); ++i) {
      const bool both = (choice >> (i - 1) & 1) != 0;
      for (std::size_t j = 0; j < result.size(); ++j) {
        const bool x = result[j] == '1';
        const bool y = strings[i][j] == '1';
        result[j] = (both ? x && y : x || y) ? '1' : '0';
      }
    }
    count += result == wanted;
  }
  return count;
}

TEST(BitwiseOperationSequenceCounting, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem =
        make_problem("BitwiseOperationSequenceCounting", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const int count = choices_by_trial(parameter["A"].get<std::vector<std::string>>(),
                                       parameter["R"].get<std::string>());
    EXPECT_GT(count, 0);
    EXPECT_EQ(problem->reference(), format_answer(count)) << problem->prompt();
  }
}

// Two equal columns cannot give different results.
TEST(BitwiseOperationSequenceCounting, MayFindNoWay) {
  const auto problem =
      restore_problem("BitwiseOperationSequenceCounting",
                      R"({"MAX_N_M": 3, "N": 2, "M": 2, "A": ["00", "11", "00"], "R": "01"})");
  EXPECT_TRUE(problem->score("0").solved);
  EXPECT_EQ(problem->score("1").reward, 0.0);
  EXPECT_FALSE(problem->score("-1").well_formed);
}

}  // namespace
}  // namespace redqueen
