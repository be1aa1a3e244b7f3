#include <algorithm>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

std::size_t different_subsequences(const List& values) {
  std::set<List> seen;
  for (std::uint32_t chosen = 1; chosen < 1u << values.size(); ++chosen) {
    List subsequence;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if ((chosen >> i & 1) != 0) subsequence.push_back(values[i]);
    }
    seen.insert(subsequence);
  }
  return seen.size();
}

TEST(MaximumSubsequenceNum, PaysAllExtensionsByTheirSubsequences) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto problem = make_problem("Maximum_SubsequenceNum", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const auto given = parameter["A"].get<List>();
    const auto k = parameter["K"].get<std::int64_t>();
    std::vector<std::pair<std::string, double>> counts;
    double most = 0;
    List appended(parameter["N"].get<std::size_t>(), 0);
    while (true) {
      List whole = given;
      whole.insert(whole.end(), appended.begin(), appended.end());
      counts.emplace_back(format_answer(appended),
                          static_cast<double>(different_subsequences(whole)));
      most = std::max(most, counts.back().second);
      std::size_t place = 0;
      while (place < appended.size() && ++appended[place] == k) appended[place++] = 0;
      if (place == appended.size()) break;
    }
    for (const auto& [answer, count] : counts) {
      EXPECT_NEAR(problem->score(answer).reward, std::pow(count / most, 5), 1e-9) << answer;
      EXPECT_EQ(problem->score(answer).solved, count == most) << answer;
    }
  }
}

TEST(MaximumSubsequenceNum, WantsNumbersBelowK) {
  const auto problem =
      restore_problem("Maximum_SubsequenceNum", R"({"M": 2, "N": 2, "K": 3, "A": [2, 0]})");
  EXPECT_TRUE(problem->score("1 2").solved);
  EXPECT_EQ(problem->score("1 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
