#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// All simple paths from vertex 0 to the last; a path that comes back is no better.
struct Paths {
  const std::vector<List>& edges;
  std::int64_t last;
  List path{0};
  std::vector<std::pair<List, double>> all;

  void extend(std::int64_t lightest, std::int64_t heaviest) {
    if (path.back() == last) {
      all.emplace_back(path, static_cast<double>(heaviest) / static_cast<double>(lightest));
      return;
    }
    for (const List& edge : edges) {
      for (const int end : {0, 1}) {
        if (edge[end] != path.back() || std::ranges::find(path, edge[1 - end]) != path.end()) {
          continue;
        }
        path.push_back(edge[1 - end]);
        extend(std::min(lightest, edge[2]), std::max(heaviest, edge[2]));
        path.pop_back();
      }
    }
  }
};

TEST(MinimumRatioPath, PaysEachPathByTheBest) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("MinimumRatioPath", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    Paths paths{edges, parameter["N"].get<std::int64_t>() - 1, {0}, {}};
    paths.extend(1'000'000'000, 0);
    double least = 1e18;
    for (const auto& [path, ratio] : paths.all) least = std::min(least, ratio);
    for (const auto& [path, ratio] : paths.all) {
      const Verdict verdict = problem->score(format_answer(path));
      EXPECT_NEAR(verdict.reward, std::pow(least / ratio, 5), 1e-9);
      EXPECT_EQ(verdict.solved, ratio < least * (1 + 1e-12));
    }
  }
}

TEST(MinimumRatioPath, ComparesQuotientsExactly) {
  const auto problem =
      restore_problem("MinimumRatioPath",
                      R"({"N": 4, "edges": [[0, 1, 2], [1, 3, 4], [0, 2, 3], [2, 3, 6], [1, 2, 50]],
          "gold_answer": [8, 4]})");
  EXPECT_TRUE(problem->score("0 1 3").solved);
  EXPECT_TRUE(problem->score("0 2 3").solved);
  EXPECT_TRUE(problem->score("0 2 0 2 3").solved);
  EXPECT_NEAR(problem->score("0 1 2 3").reward, std::pow(2.0 / 25.0, 5), 1e-12);
  EXPECT_EQ(problem->score("0 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 3").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("").well_formed);
}

}  // namespace
}  // namespace redqueen
