#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Intervals = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Tries every set.
std::int64_t counted_sets(const Intervals& intervals, std::int64_t length) {
  std::int64_t count = 0;
  for (std::uint32_t set = 1; set < std::uint32_t{1} << intervals.size(); ++set) {
    std::int64_t left = std::numeric_limits<std::int64_t>::min();
    std::int64_t right = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      left = std::max(left, intervals[i].first);
      right = std::min(right, intervals[i].second);
    }
    count += right >= left && right - left >= length;
  }
  return count;
}

TEST(BoundedIntervalIntersection, AgreesWithAllSubsets) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem =
        make_problem("BoundedIntervalIntersection", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(counted_sets(parameter["intervals"].get<Intervals>(),
                                         parameter["K"].get<std::int64_t>())));
  }
}

TEST(BoundedIntervalIntersection, TellsLargeCountsFromTheirNeighbours) {
  Json parameter{{"N", 100}, {"K", 1}};
  for (int i = 0; i < 100; ++i) parameter["intervals"].push_back({0, 5});
  const auto problem = restore_problem("BoundedIntervalIntersection", dump_json(parameter));
  const BigInt all = (BigInt(1) << 100) - 1;
  EXPECT_EQ(problem->reference(), all.str());
  EXPECT_TRUE(problem->score(all.str()).solved);
  const BigInt beside = all + 1;
  EXPECT_FALSE(problem->score(beside.str()).solved);
  EXPECT_NEAR(problem->score(beside.str()).reward, 1.0, 1e-9);
}

TEST(BoundedIntervalIntersection, CountsNothingWhereEveryIntervalIsTooShort) {
  const auto problem = restore_problem("BoundedIntervalIntersection",
                                       R"({"N": 2, "intervals": [[0, 1], [3, 4]], "K": 2})");
  EXPECT_TRUE(problem->score("0").solved);
  EXPECT_EQ(problem->score("1").reward, 0.0);
  EXPECT_EQ(problem->score("-1").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
