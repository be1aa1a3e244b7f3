#include "redqueen/gym/common/parameter/witness.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

// Two numbers with a given sum.
struct Sum {
  struct Problem {
    std::int64_t sum = 0;
  };
  using Answer = std::vector<std::int64_t>;
  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != 2) return kInvalidReward;
    return exact_reward(answer[0] + answer[1] == problem.sum);
  }
};

TEST(Witness, HasToSolveTheProblem) {
  const Sum::Problem problem{.sum = 5};
  EXPECT_TRUE(check_witness<Sum>("reference", "2 3", problem).has_value());
  EXPECT_TRUE(check_witness<Sum>("reference", "9 -4", problem).has_value());
  for (const char* text : {"2 2", "5", "", "two three"}) {
    const Status status = check_witness<Sum>("reference", text, problem);
    ASSERT_FALSE(status.has_value()) << text;
    EXPECT_EQ(status.error().message, "\"reference\": it does not solve this problem");
  }
}

}  // namespace
}  // namespace redqueen
