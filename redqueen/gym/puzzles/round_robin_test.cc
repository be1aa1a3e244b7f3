#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All matrices of up to four teams: right are those whose points are the given ones.
TEST(RoundRobin, SolvesMatricesWithThesePoints) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto problem = make_problem("RoundRobin", static_cast<int>(seed % 2), seed);
    const int n = 3 + static_cast<int>(seed % 2);
    const auto wanted = problem->parameter()["W"].get<std::vector<int>>();
    int solved = 0;
    for (int code = 0; code < (n == 3 ? 27 : 729); ++code) {
      std::vector<std::string> rows(n, std::string(n, '0'));
      std::vector<int> points(n, 0);
      int rest = code;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j, rest /= 3) {
          if (rest % 3 == 0) {
            rows[i][j] = '2';
            points[i] += 3;
          } else if (rest % 3 == 1) {
            rows[j][i] = '2';
            points[j] += 3;
          } else {
            rows[i][j] = rows[j][i] = '1';
            ++points[i];
            ++points[j];
          }
        }
      }
      EXPECT_EQ(problem->score(format_answer(rows)).solved, points == wanted)
          << problem->prompt() << '\n'
          << format_answer(rows);
      solved += points == wanted;
    }
    EXPECT_GE(solved, 1);
  }
}

TEST(RoundRobin, PaysForTeamsThatAreRight) {
  const auto problem = restore_problem(
      "RoundRobin", R"({"N": 3, "W": [4, 1, 3], "reference_answer": "012\n100\n020"})");
  EXPECT_EQ(problem->score("012\n100\n020").reward, 1.0);
  EXPECT_NEAR(problem->score("012\n102\n000").reward, 1.0 / 243, 1e-12);
  EXPECT_EQ(problem->score("011\n101\n110").reward, 0.0);
  EXPECT_EQ(problem->score("112\n100\n020").reward, kInvalidReward);
  EXPECT_EQ(problem->score("012\n200\n020").reward, kInvalidReward);
  EXPECT_EQ(problem->score("012\n100").reward, kMalformedReward);
  EXPECT_EQ(problem->score("0 1 2\n1 0 0\n0 2 0").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
