#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// A table of the number of lists for every XOR, one number of the list after another.
std::int64_t lists_by_table(int n, std::int64_t l, std::int64_t r, std::int64_t k) {
  std::size_t values = 1;
  while (static_cast<std::int64_t>(values) <= r) values *= 2;
  std::vector<std::int64_t> lists(values, 0);
  lists[0] = 1;
  for (int i = 0; i < n; ++i) {
    std::vector<std::int64_t> next(values, 0);
    for (std::int64_t x = l; x <= r; ++x) {
      for (std::size_t value = 0; value < values; ++value) {
        next[value] += lists[value ^ static_cast<std::size_t>(x)];
      }
    }
    for (std::int64_t& count : next) count %= 10000;
    lists = next;
  }
  return k < static_cast<std::int64_t>(values) ? lists[k] : 0;
}

TEST(XorEquationCounting, AgreesWithATable) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem = make_problem("XorEquationCounting", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    if (parameter["RANGE"] > 127) continue;
    ++compared;
    EXPECT_EQ(problem->reference(), format_answer(lists_by_table(parameter["N"], parameter["L"],
                                                                 parameter["R"], parameter["K"])))
        << problem->prompt();
  }
  EXPECT_GT(compared, 50);
}

TEST(XorEquationCounting, AgreesWithATableOnEverySmallProblem) {
  for (int n = 1; n <= 3; ++n) {
    for (int r = 0; r <= 6; ++r) {
      for (int l = 0; l <= r; ++l) {
        for (int k = 0; k <= 9; ++k) {
          const auto problem = restore_problem(
              "XorEquationCounting",
              fmt::format(R"({{"N": {}, "RANGE": 7, "R": {}, "L": {}, "K": {}}})", n, r, l, k));
          EXPECT_EQ(problem->reference(), format_answer(lists_by_table(n, l, r, k)))
              << problem->prompt();
        }
      }
    }
  }
}

TEST(XorEquationCounting, RefusesWhatIsNoResidue) {
  const auto problem = make_problem("XorEquationCounting", 3, 1);
  EXPECT_EQ(problem->score("10000").reward, kInvalidReward);
  EXPECT_EQ(problem->score("-1").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("1 2").well_formed);
}

}  // namespace
}  // namespace redqueen
