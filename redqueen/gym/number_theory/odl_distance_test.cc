#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Steps from one number to all others, breadth first over a range that no shortest way needs to
// leave by much.
std::vector<int> distances_by_search(int from, int limit) {
  std::vector<int> steps(static_cast<std::size_t>(limit) + 1, -1);
  std::vector<int> open{from};
  steps[from] = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const int number = open[i];
    for (int prime = 2; prime <= limit; ++prime) {
      bool is_prime = true;
      for (int d = 2; d * d <= prime; ++d) is_prime = is_prime && prime % d != 0;
      if (!is_prime) continue;
      for (const int next : {number % prime == 0 ? number / prime : 0, number * prime}) {
        if (next < 1 || next > limit || steps[next] >= 0) continue;
        steps[next] = steps[number] + 1;
        open.push_back(next);
      }
    }
  }
  return steps;
}

TEST(ODLDistance, AgreesWithSteps) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("ODLDistance", static_cast<int>(seed % 5), seed);
    const auto numbers = problem->parameter()["A"].get<std::vector<int>>();
    std::vector<int> nearest;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::vector<int> steps = distances_by_search(numbers[i], 100);
      int best = -1;
      for (std::size_t j = 0; j < numbers.size(); ++j) {
        if (j == i) continue;
        if (best < 0 || steps[numbers[j]] < steps[numbers[best]]) best = static_cast<int>(j);
      }
      nearest.push_back(best);
    }
    EXPECT_EQ(problem->reference(), format_answer(nearest));
  }
}

TEST(ODLDistance, PaysForIndicesThatAreRight) {
  const auto problem = restore_problem("ODLDistance", R"({"N": 4, "A": [1, 12, 16, 14]})");
  EXPECT_EQ(problem->score("3 0 1 0").reward, 1.0);
  EXPECT_NEAR(problem->score("3 0 3 0").reward, std::pow(0.75, 5), 1e-12);
  EXPECT_EQ(problem->score("3 1 1 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("3 0 1 4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
