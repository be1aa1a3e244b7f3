#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// The least (spread, labels) of every set of places to cut at.
std::pair<std::int64_t, List> best_of_all_cuts(const List& a, const List& b, int parts) {
  std::optional<std::pair<std::int64_t, List>> best;
  for (std::uint32_t cuts = 0; cuts < 1u << (a.size() - 1); ++cuts) {
    if (std::popcount(cuts) != parts - 1) continue;
    std::pair<std::int64_t, List> cut;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum += b[i];
      if ((cuts >> i & 1) == 0 && i + 1 < a.size()) continue;
      cut.first = std::max(cut.first, std::abs(sum));
      cut.second.push_back(a[i]);
      sum = 0;
    }
    if (!best || cut < *best) best = cut;
  }
  return *best;
}

TEST(MinimumMaxAbsSlicer, AgreesWithAllCuts) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("Minimum_MaxAbsSlicer", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto [spread, labels] = best_of_all_cuts(
        parameter["A"].get<List>(), parameter["B"].get<List>(), parameter["M"].get<int>());
    EXPECT_EQ(parameter["gold_answer_max_abs"], spread) << problem->prompt();
    EXPECT_EQ(problem->reference(), format_answer(labels)) << problem->prompt();
  }
}

TEST(MinimumMaxAbsSlicer, AgreesForEverySequenceOfSigns) {
  const List a{4, 2, 7, 1, 6, 3, 5};
  for (std::uint32_t signs = 0; signs < 128; ++signs) {
    List b;
    for (int i = 0; i < 7; ++i) b.push_back((signs >> i & 1) != 0 ? 1 : -1);
    for (int parts = 1; parts <= 7; ++parts) {
      const auto [spread, labels] = best_of_all_cuts(a, b, parts);
      const Json parameter{{"N", 7},
                           {"M", parts},
                           {"A", a},
                           {"B", b},
                           {"gold_answer_max_abs", spread},
                           {"gold_answer", labels}};
      ASSERT_TRUE(Registry::native().find("Minimum_MaxAbsSlicer")->restore(parameter)) << parameter;
    }
  }
}

TEST(MinimumMaxAbsSlicer, PaysSpreadThenLabels) {
  const auto problem = restore_problem("Minimum_MaxAbsSlicer", R"({"N": 4, "M": 2,
      "A": [3, 1, 2, 4], "B": [1, 1, 1, 1], "gold_answer_max_abs": 2, "gold_answer": [1, 4]})");
  EXPECT_TRUE(problem->score("1 4").solved);
  EXPECT_DOUBLE_EQ(problem->score("3 4").reward, 0.5 * std::pow(2.0 / 3.0, 5));
  EXPECT_EQ(problem->score("4 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2 4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
