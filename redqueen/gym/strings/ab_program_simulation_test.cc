#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Rewrites neighbours that are chosen at random.
std::string rewritten(std::vector<std::string> row, Rng& rng) {
  while (true) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      if (row[i][1] == '#' && row[i + 1][0] == '#') places.push_back(i);
    }
    if (places.empty()) break;
    const auto place = static_cast<std::ptrdiff_t>(rng.choice(places));
    if (row[place][0] == row[place + 1][1]) {
      row.erase(row.begin() + place, row.begin() + place + 2);
    } else {
      std::swap(row[place], row[place + 1]);
    }
  }
  std::string text;
  for (const std::string& token : row) text += (text.empty() ? "" : " ") + token;
  return text;
}

TEST(ABProgramSimulation, AgreesWithRewritingInAnyOrder) {
  Rng rng({.purpose = hash_name("rewriting")});
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("ABProgramSimulation", static_cast<int>(seed % 12), seed);
    const auto program = problem->parameter()["program"].get<std::vector<std::string>>();
    EXPECT_EQ(problem->reference(), rewritten(program, rng)) << problem->prompt();
  }
}

TEST(ABProgramSimulation, TakesAnEmptyRow) {
  const auto problem =
      restore_problem("ABProgramSimulation", R"({"N": 2, "program": ["B#", "#B"]})");
  EXPECT_TRUE(problem->score("").solved);
  EXPECT_EQ(problem->score("#B B#").reward, 0.0);
  EXPECT_FALSE(problem->score("#B, B#").well_formed);
}

}  // namespace
}  // namespace redqueen
