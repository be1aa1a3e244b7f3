#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Walks step by step, counted by their last step (from, to).
std::int64_t count_step_by_step(const Json& parameter) {
  std::vector<std::pair<int, int>> arcs;
  for (const auto& [u, v] : parameter["edges"].get<std::vector<std::pair<int, int>>>()) {
    arcs.emplace_back(u, v);
    arcs.emplace_back(v, u);
  }
  std::map<std::pair<int, int>, std::int64_t> walks;
  for (const auto& arc : arcs) walks[arc] = arc.first == 0 ? 1 : 0;
  for (std::int64_t step = 2; step <= parameter["T"].get<std::int64_t>(); ++step) {
    std::map<std::pair<int, int>, std::int64_t> longer;
    for (const auto& [last, count] : walks) {
      for (const auto& arc : arcs) {
        const bool back = arc.first == last.second && arc.second == last.first;
        if (arc.first == last.second && !back) longer[arc] = (longer[arc] + count) % 10'000;
      }
    }
    walks = longer;
  }
  std::int64_t total = 0;
  for (const auto& [last, count] : walks) {
    total += last.second == parameter["N"].get<int>() - 1 ? count : 0;
  }
  return total % 10'000;
}

TEST(Path_NoGoingBack_Counting, AgreesWithCountingStepByStep) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("Path_NoGoingBack_Counting", static_cast<int>(seed % 4), seed);
    EXPECT_EQ(problem->reference(), std::to_string(count_step_by_step(problem->parameter())));
  }
}

TEST(Path_NoGoingBack_Counting, TellsARangeFromAValue) {
  const auto problem = restore_problem(
      "Path_NoGoingBack_Counting",
      R"({"M": 3, "N": 3, "T": 4, "edges": [[0, 1], [1, 2], [0, 2]], "reference_answer": 1})");
  EXPECT_EQ(count_step_by_step(problem->parameter()), 1);
  EXPECT_TRUE(problem->score("1").solved);
  EXPECT_EQ(problem->score("2").reward, 0.0);
  EXPECT_EQ(problem->score("10001").reward, kInvalidReward);
  EXPECT_EQ(problem->score("-1").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
