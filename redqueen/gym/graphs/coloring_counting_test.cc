#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Over all colourings, whether proper or not.
std::int64_t sum_of_values(const std::vector<List>& edges, const List& bounds, List& colours) {
  if (colours.size() == bounds.size()) {
    for (const List& edge : edges) {
      if (colours[edge[0]] == colours[edge[1]]) return 0;
    }
    return std::ssize(std::set<std::int64_t>(colours.begin(), colours.end()));
  }
  std::int64_t sum = 0;
  for (std::int64_t c = 0; c <= bounds[colours.size()]; ++c) {
    colours.push_back(c);
    sum += sum_of_values(edges, bounds, colours);
    colours.pop_back();
  }
  return sum;
}

TEST(ColoringCounting, AddsUpOverAllColourings) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("ColoringCounting", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    List colours;
    EXPECT_EQ(problem->reference(),
              std::to_string(sum_of_values(parameter["edges"].get<std::vector<List>>(),
                                           parameter["R"].get<List>(), colours)))
        << problem->prompt();
  }
}

TEST(ColoringCounting, KnowsBoundsThatLeaveGapsAndCollide) {
  // Colours 0 … 4 of one vertex and 0 … 1 of the other: 8 pairs that differ, 2 colours each.
  const auto two = restore_problem(
      "ColoringCounting", R"({"N": 2, "edges": [[0, 1]], "R": [4, 1], "reference_answer": 16})");
  EXPECT_TRUE(two->score("16").solved);
  EXPECT_EQ(two->score("0").reward, kMalformedReward);
  const auto impossible =
      parse_json(R"({"N": 2, "edges": [[0, 1]], "R": [0, 0], "reference_answer": 0})");
  EXPECT_FALSE(Registry::native().find("ColoringCounting")->restore(*impossible));
}

}  // namespace
}  // namespace redqueen
