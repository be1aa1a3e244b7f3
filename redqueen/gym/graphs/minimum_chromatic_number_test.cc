#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Whether the vertices from the size of `colours` on can be coloured with k colours.
bool colourable(const std::vector<List>& edges, std::size_t n, std::int64_t k, List& colours) {
  if (colours.size() == n) return true;
  const auto v = std::ssize(colours);
  bool found = false;
  for (std::int64_t c = 0; c < k && !found; ++c) {
    if (std::ranges::any_of(edges, [&](const List& edge) {
          const std::int64_t other = edge[0] + edge[1] - v;
          return (edge[0] == v || edge[1] == v) && other < v && colours[other] == c;
        })) {
      continue;
    }
    colours.push_back(c);
    found = colourable(edges, n, k, colours);
    colours.pop_back();
  }
  return found;
}

TEST(MinimumChromaticNumber, AgreesWithASearchInTheOrderOfTheNumbers) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("MinimumChromaticNumber", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    std::int64_t k = 1;
    List colours;
    while (!colourable(edges, parameter["N"].get<std::size_t>(), k, colours)) ++k;
    EXPECT_EQ(parameter["gold_answer"], k) << problem->prompt();
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(MinimumChromaticNumber, PaysByTheNumberOfColours) {
  const auto problem = restore_problem("MinimumChromaticNumber",
                                       R"({"N": 3, "edges": [[0, 1], [1, 2]], "gold_answer": 2})");
  EXPECT_TRUE(problem->score("7 -1 7").solved);
  EXPECT_DOUBLE_EQ(problem->score("0 1 2").reward, std::pow(2.0 / 3.0, 5));
  for (const char* answer : {"0 0 1", "0 1", "0 1 0 1", ""}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward);
  }
}

}  // namespace
}  // namespace redqueen
