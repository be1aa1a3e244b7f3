#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

bool is_good(std::uint32_t set, int n) {  // bit x − 1 is number x
  for (int x = 1; x <= n; ++x) {
    if ((set >> (x - 1) & 1) == 0) continue;
    for (const int multiple : {2 * x, 3 * x}) {
      if (multiple <= n && (set >> (multiple - 1) & 1) == 1) return false;
    }
  }
  return true;
}

TEST(NoDoubleTripleCounting, AgreesWithAllSubsets) {
  for (int n = 1; n <= 18; ++n) {
    int good = 0;
    for (std::uint32_t set = 0; set < std::uint32_t{1} << n; ++set) good += is_good(set, n);
    EXPECT_NE(restore_problem(
                  "NoDoubleTripleCounting",
                  fmt::format(R"({{"MAX_N": 18, "N": {}, "reference_answer": {}}})", n, good)),
              nullptr);
  }
}

TEST(NoDoubleTripleCounting, AsksForNoMoreDigitsThanAnAnswerMayHave) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = make_problem("NoDoubleTripleCounting", 18, seed);
    EXPECT_TRUE(problem->score(problem->reference()).solved);
    EXPECT_GT(problem->reference().size(), 1500u);
  }
}

}  // namespace
}  // namespace redqueen
