#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(SlidingWindow, AgreesWithTheMinimumOfEverySlice) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("SlidingWindow", static_cast<int>(seed % 10), seed);
    const Json parameter = problem->parameter();
    const auto list = parameter["A"].get<std::vector<std::int64_t>>();
    const auto window = parameter["K"].get<std::ptrdiff_t>();
    std::vector<std::int64_t> minima;
    for (auto start = list.begin(); list.end() - start >= window; ++start) {
      minima.push_back(*std::min_element(start, start + window));
    }
    EXPECT_EQ(problem->reference(), format_answer(minima));
  }
}

TEST(SlidingWindow, TakesWindowsOfOneAndOfAll) {
  EXPECT_EQ(restore_problem("SlidingWindow", R"({"N": 3, "K": 1, "A": [3, -1, 2]})")->reference(),
            "3 -1 2");
  EXPECT_EQ(restore_problem("SlidingWindow", R"({"N": 3, "K": 3, "A": [3, -1, 2]})")->reference(),
            "-1");
}

TEST(SlidingWindow, IsNotSolvedByOneNumberRepeated) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("SlidingWindow", static_cast<int>(seed % 6), seed);
    EXPECT_FALSE(problem->score(problem->shortcuts()[0].answer).solved) << problem->prompt();
  }
}

}  // namespace
}  // namespace redqueen
