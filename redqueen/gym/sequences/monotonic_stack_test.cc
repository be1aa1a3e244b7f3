#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The definition: C[i] counts the j > i such that A[i] > A[k] for all k in i+1 … j.
std::int64_t sum_by_definition(const std::vector<std::int64_t>& list) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t j = i + 1; j < list.size(); ++j) {
      bool all_smaller = true;
      for (std::size_t k = i + 1; k <= j; ++k) all_smaller = all_smaller && list[i] > list[k];
      sum += all_smaller;
    }
  }
  return sum;
}

TEST(MonotonicStack, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("MonotonicStack", static_cast<int>(seed % 10), seed);
    const auto list = problem->parameter()["A"].get<std::vector<std::int64_t>>();
    EXPECT_EQ(problem->reference(), format_answer(sum_by_definition(list)));
  }
}

TEST(MonotonicStack, EndsAViewAtAnEqualElement) {
  EXPECT_EQ(restore_problem("MonotonicStack", R"({"N": 4, "A": [3, 1, 3, 2]})")->reference(), "2");
}

TEST(MonotonicStack, TakesAnAnswerThatDoesNotFitIntoAWordForWrong) {
  const auto problem = restore_problem("MonotonicStack", R"({"N": 2, "A": [2, 1]})");
  EXPECT_EQ(problem->score("18446744073709551617"),
            (Verdict{.reward = 0.0, .solved = false, .well_formed = true}));
}

}  // namespace
}  // namespace redqueen
