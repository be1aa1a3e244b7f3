#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Follows the sequence of every pair below K.
int pairs_that_reach(int number) {
  int pairs = 0;
  for (int a = 1; a < number; ++a) {
    for (int b = 1; b < number; ++b) {
      int before = b;
      int here = a + b;
      while (here < number) before = std::exchange(here, here + before);
      pairs += here == number;
    }
  }
  return pairs;
}

Json parameter(std::int64_t number, std::int64_t answer) {
  return {{"MAX_K", number}, {"K", number}, {"reference_answer", answer}};
}

TEST(FibonacciContainingCounting, AgreesWithTheSequencesOfAllPairs) {
  for (int number = 2; number <= 150; ++number) {
    EXPECT_NE(restore_problem("FibonacciContainingCounting",
                              dump_json(parameter(number, pairs_that_reach(number)))),
              nullptr)
        << number;
  }
}

// Backwards: before K comes any smaller number, which decides all that come before it.
TEST(FibonacciContainingCounting, AgreesWithWalksBackFromALargeNumber) {
  for (const std::int64_t number : {99'991, 1'000'000}) {
    std::int64_t pairs = 0;
    for (std::int64_t last = 1; last < number; ++last) {
      std::int64_t here = number;
      for (std::int64_t before = last; here > before && before > 0; ++pairs) {
        here = std::exchange(before, here - before);
      }
    }
    EXPECT_NE(restore_problem("FibonacciContainingCounting", dump_json(parameter(number, pairs))),
              nullptr)
        << number;
  }
}

}  // namespace
}  // namespace redqueen
