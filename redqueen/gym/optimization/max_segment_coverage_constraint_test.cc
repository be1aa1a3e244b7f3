#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

bool keeps(const Pairs& segments, const Pairs& constraints, std::uint32_t chosen) {
  for (const auto& [point, most] : constraints) {
    int holding = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const bool holds = segments[i].first <= point && point <= segments[i].second;
      holding += holds && (chosen >> i & 1) != 0 ? 1 : 0;
    }
    if (holding > most) return false;
  }
  return true;
}

TEST(MaxSegmentCoverageConstraint, AgreesWithAllSets) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem =
        make_problem("MaxSegmentCoverageConstraint", static_cast<int>(seed % 10), seed);
    const Json parameter = problem->parameter();
    const auto segments = parameter["segments"].get<Pairs>();
    const auto constraints = parameter["constraints"].get<Pairs>();
    int most = 0;
    for (std::uint32_t set = 0; set < std::uint32_t{1} << segments.size(); ++set) {
      if (std::popcount(set) > most && keeps(segments, constraints, set)) {
        most = std::popcount(set);
      }
    }
    EXPECT_EQ(parameter["gold_answer"].get<int>(), most);
    const auto answer = *parse_int_list(problem->reference());
    std::uint32_t chosen = 0;
    for (const auto i : answer) chosen |= 1U << i;
    EXPECT_EQ(std::popcount(chosen), most);
    EXPECT_TRUE(keeps(segments, constraints, chosen));
  }
}

TEST(MaxSegmentCoverageConstraint, PaysByNumber) {
  const auto problem = restore_problem(
      "MaxSegmentCoverageConstraint",
      R"({"N": 4, "segments": [[0, 8], [0, 2], [2, 4], [6, 7]], "constraints": [[2, 2], [6, 1]],
          "gold_answer": 3})");
  EXPECT_EQ(problem->score("3 1 2").reward, 1.0);
  EXPECT_NEAR(problem->score("0 2").reward, std::pow(2.0 / 3, 5), 1e-12);
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("0 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
