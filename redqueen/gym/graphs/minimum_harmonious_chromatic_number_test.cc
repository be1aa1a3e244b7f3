#include <algorithm>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

bool is_harmonious(const std::vector<List>& edges, const List& colours) {
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  return std::ranges::all_of(edges, [&](const List& edge) {
    const auto [a, b] = std::minmax(colours[edge[0]], colours[edge[1]]);
    return a != b && pairs.emplace(a, b).second;
  });
}

// Over all partitions: vertex v takes one of the colours so far or the next one.
std::int64_t fewest_colours(const std::vector<List>& edges, std::size_t n, List& colours,
                            std::int64_t used) {
  if (colours.size() == n) return is_harmonious(edges, colours) ? used : 1000;
  std::int64_t fewest = 1000;
  for (std::int64_t c = 0; c <= used; ++c) {
    colours.push_back(c);
    fewest = std::min(fewest, fewest_colours(edges, n, colours, std::max(used, c + 1)));
    colours.pop_back();
  }
  return fewest;
}

TEST(MinimumHarmoniousChromaticNumber, PlantsTheFewestColours) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const auto problem =
        make_problem("MinimumHarmoniousChromaticNumber", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    List colours;
    EXPECT_EQ(parameter["gold_answer"],
              fewest_colours(parameter["edges"].get<std::vector<List>>(),
                             parameter["N"].get<std::size_t>(), colours, 0))
        << problem->prompt();
  }
}

TEST(MinimumHarmoniousChromaticNumber, KnowsTheFewestColoursOfOtherGraphs) {
  const Environment& environment = *Registry::native().find("MinimumHarmoniousChromaticNumber");
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng({.seed = seed});
    std::vector<List> edges;
    for (std::int64_t u = 0; u < 6; ++u) {
      for (std::int64_t v = u + 1; v < 6; ++v) {
        if (rng.chance(0.4)) edges.push_back({u, v});
      }
    }
    List colours;
    const std::int64_t fewest = fewest_colours(edges, 6, colours, 0);
    int accepted = 0;
    for (std::int64_t all = 0; all < 46656; ++all) {
      List some(6);
      std::int64_t rest = all;
      for (std::int64_t& colour : some) {
        colour = rest % 6;
        rest /= 6;
      }
      const auto used = std::ssize(std::set<std::int64_t>(some.begin(), some.end()));
      if (!is_harmonious(edges, some)) continue;
      if (all % 7 != 0 && used > fewest) continue;
      const Json parameter{{"N", 6},
                           {"edges", edges},
                           {"reference_answer", format_answer(some)},
                           {"gold_answer", used}};
      EXPECT_EQ(environment.restore(parameter).has_value(), used == fewest);
      if (++accepted > 20) break;
    }
    EXPECT_GT(accepted, 0);
  }
}

TEST(MinimumHarmoniousChromaticNumber, PaysByTheNumberOfColours) {
  const auto problem = restore_problem(
      "MinimumHarmoniousChromaticNumber",
      R"({"N": 5, "edges": [[0, 2], [2, 3], [0, 3]], "reference_answer": "0 0 1 2 0",
          "gold_answer": 3})");
  EXPECT_TRUE(problem->score("5 6 6 -7 6").solved);
  EXPECT_DOUBLE_EQ(problem->score("0 3 1 2 0").reward, std::pow(0.75, 5));
  const auto path =
      restore_problem("MinimumHarmoniousChromaticNumber",
                      R"({"N": 4, "edges": [[0, 1], [1, 2], [2, 3]], "reference_answer": "0 1 2 0",
          "gold_answer": 3})");
  EXPECT_EQ(path->score("0 1 0 1").reward, kInvalidReward) << "two edges join the same colours";
  EXPECT_EQ(path->score("0 0 1 2").reward, kInvalidReward);
  EXPECT_EQ(path->score("0 1 2").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
