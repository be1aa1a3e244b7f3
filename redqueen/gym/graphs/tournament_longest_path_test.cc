#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// All paths from a vertex.
struct Paths {
  const std::vector<std::vector<bool>>& to;
  List path;
  std::vector<List> all;

  void extend() {
    all.push_back(path);
    for (std::size_t v = 0; v < to.size(); ++v) {
      const auto next = static_cast<std::int64_t>(v);
      if (!to[path.back()][v] || std::ranges::find(path, next) != path.end()) continue;
      path.push_back(next);
      extend();
      path.pop_back();
    }
  }
};

TEST(Tournament_LongestPath, PaysEachPathByTheLongest) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("Tournament_LongestPath", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const auto to = parameter["TO"].get<std::vector<std::vector<bool>>>();
    Paths paths{to, {parameter["S"].get<std::int64_t>()}, {}};
    paths.extend();
    std::size_t longest = 0;
    for (const List& path : paths.all) longest = std::max(longest, path.size());
    for (const List& path : paths.all) {
      const Verdict verdict = problem->score(format_answer(path));
      const double share = static_cast<double>(path.size()) / static_cast<double>(longest);
      EXPECT_NEAR(verdict.reward, std::pow(share, 5), 1e-9);
      EXPECT_EQ(verdict.solved, path.size() == longest);
    }
  }
}

TEST(Tournament_LongestPath, WantsAPathFromTheStart) {
  const auto problem = restore_problem("Tournament_LongestPath",
                                       R"({"N": 3, "TO": [[false, true, true],
          [false, false, true], [false, false, false]], "S": 0, "gold_answer": 3})");
  EXPECT_TRUE(problem->score("0 1 2").solved);
  EXPECT_EQ(problem->score("1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 2 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 3").reward, kInvalidReward);
  EXPECT_FALSE(problem->score(" ").well_formed);
}

}  // namespace
}  // namespace redqueen
