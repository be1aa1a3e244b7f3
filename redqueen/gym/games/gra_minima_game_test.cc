#include <algorithm>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The difference for the player to move, by search over all sets of numbers that may be left.
int play_minima(const std::vector<int>& numbers) {
  const std::size_t sets = std::size_t{1} << numbers.size();
  std::vector<int> value(sets, 0);
  for (std::size_t left = 1; left < sets; ++left) {
    int best = std::numeric_limits<int>::min();
    for (std::size_t chosen = left; chosen > 0; chosen = (chosen - 1) & left) {
      int least = std::numeric_limits<int>::max();
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if ((chosen >> i & 1) != 0) least = std::min(least, numbers[i]);
      }
      best = std::max(best, least - value[left ^ chosen]);
    }
    value[left] = best;
  }
  return value[sets - 1];
}

TEST(GraMinimaGame, AgreesWithASearchOfAllMoves) {
  for (int level = 0; level <= 5; ++level) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto problem = make_problem("GraMinimaGame", level, seed);
      const auto numbers = problem->parameter()["A"].get<std::vector<int>>();
      EXPECT_EQ(problem->reference(), std::to_string(play_minima(numbers))) << problem->prompt();
    }
  }
}

TEST(GraMinimaGame, RefusesAForgedReference) {
  const Environment& environment = *Registry::native().find("GraMinimaGame");
  EXPECT_TRUE(environment.restore(*parse_json(R"({"N": 2, "A": [5, 2], "reference_answer": 3})")));
  EXPECT_FALSE(environment.restore(*parse_json(R"({"N": 2, "A": [5, 2], "reference_answer": 5})")));
}

}  // namespace
}  // namespace redqueen
