#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Label by label, from T down.
std::int64_t paths_by_label(std::size_t from, std::size_t to) {
  std::vector<std::int64_t> paths(to + 1, 0);
  paths[to] = 1;
  for (std::size_t s = to; s-- > from;) {
    for (std::size_t t = s + 1; t <= to; ++t) {
      if ((s & t) == 0) paths[s] = (paths[s] + paths[t]) % 10000;
    }
  }
  return paths[from];
}

TEST(BitAndZero_PathCounting, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("BitAndZero_PathCounting", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(
        problem->reference(),
        format_answer(paths_by_label(std::stoull(parameter["S"].get<std::string>(), nullptr, 2),
                                     std::stoull(parameter["T"].get<std::string>(), nullptr, 2))))
        << problem->prompt();
  }
}

TEST(BitAndZero_PathCounting, KnowsThatEqualLengthsAreApart) {
  const auto problem =
      restore_problem("BitAndZero_PathCounting", R"({"max_length": 3, "S": "100", "T": "110"})");
  EXPECT_TRUE(problem->score("0").solved);
  EXPECT_EQ(problem->score("10000").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
