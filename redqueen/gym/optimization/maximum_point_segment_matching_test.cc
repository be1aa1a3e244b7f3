#include <algorithm>

#include "redqueen/gym/common/graph/max_flow.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// A maximum flow from points to segments.
std::int64_t most_pairs(const Json& parameter) {
  const auto points = parameter["points"].get<std::vector<int>>();
  const auto segments = parameter["segments"].get<std::vector<std::pair<int, int>>>();
  const auto c = static_cast<int>(points.size());
  const auto n = static_cast<int>(segments.size());
  FlowNetwork network(c + n + 2);
  for (int i = 0; i < c; ++i) network.add_arc(c + n, i, 1);
  for (int j = 0; j < n; ++j) network.add_arc(c + j, c + n + 1, 1);
  for (int i = 0; i < c; ++i) {
    for (int j = 0; j < n; ++j) {
      if (segments[j].first <= points[i] && points[i] <= segments[j].second) {
        network.add_arc(i, c + j, 1);
      }
    }
  }
  return network.maximise_flow(c + n, c + n + 1);
}

TEST(MaximumPointSegmentMatching, AgreesWithMaximumFlow) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem =
        make_problem("MaximumPointSegmentMatching", static_cast<int>(seed % 14), seed);
    EXPECT_EQ(problem->parameter()["gold_answer"], most_pairs(problem->parameter()))
        << problem->prompt();
  }
}

TEST(MaximumPointSegmentMatching, RefusesWhatIsUsedTwiceOrOutside) {
  const auto problem = restore_problem(
      "MaximumPointSegmentMatching",
      R"({"MAX_C_N": 3, "C": 3, "N": 2, "points": [0, 2, 2], "segments": [[0, 2], [2, 3]],
          "gold_answer": 2})");
  EXPECT_TRUE(problem->score("0 0\n2 1").solved);
  EXPECT_TRUE(problem->score("1 1\n2 0").solved);
  EXPECT_DOUBLE_EQ(problem->score("2 1").reward, 1.0 / 32.0);
  EXPECT_EQ(problem->score("").reward, 0.0);
  for (const char* answer : {"0 1", "1 0\n1 1", "1 0\n2 0", "3 0", "1 2", "-1 0", "1 -1"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
  EXPECT_EQ(problem->score("1").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
