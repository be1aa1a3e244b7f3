#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(EvenDegreeGraphPartitioning, JudgesAllLabellings) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem =
        make_problem("EvenDegreeGraphPartitioning", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const auto n = parameter["N"].get<std::size_t>();
    int right = 0;
    for (unsigned set = 0; set < 1u << n; ++set) {
      List same(n);
      for (const auto& edge : parameter["edges"]) {
        const auto u = edge[0].get<std::size_t>();
        const auto v = edge[1].get<std::size_t>();
        if ((set >> u & 1) != (set >> v & 1)) continue;
        ++same[u];
        ++same[v];
      }
      List labels;
      double even = 0;
      for (std::size_t v = 0; v < n; ++v) {
        labels.push_back(1 + (set >> v & 1));
        even += same[v] % 2 == 0;
      }
      const double share = even / static_cast<double>(n);
      right += share == 1.0;
      EXPECT_NEAR(problem->score(format_answer(labels)).reward, std::pow(share, 10), 1e-12);
    }
    EXPECT_GT(right, 0);
    if (n > 4) {
      EXPECT_EQ(right, 2) << "one division, with labels in either order";
    }
  }
}

TEST(EvenDegreeGraphPartitioning, CallsOtherLabelsInvalid) {
  const auto problem =
      restore_problem("EvenDegreeGraphPartitioning", R"({"N": 3, "edges": [[0, 1]]})");
  EXPECT_TRUE(problem->score("1 2 2").solved);
  for (const char* answer : {"1 2", "1 2 3", "0 1 1", "1 2 2 2"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward);
  }
}

}  // namespace
}  // namespace redqueen
