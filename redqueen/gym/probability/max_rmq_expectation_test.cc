#include <algorithm>

#include "redqueen/gym/common/number/rational_residue.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The largest interval minimum, summed over all arrays.
std::int64_t sum_over_arrays(const Json& parameter) {
  const int x = parameter["X"].get<int>();
  std::vector<int> array(parameter["N"].get<std::size_t>(), 1);
  std::int64_t sum = 0;
  while (true) {
    int best = 0;
    for (const Json& interval : parameter["intervals"]) {
      const auto begin = array.begin() + interval[0].get<int>() - 1;
      const auto end = array.begin() + interval[1].get<int>();
      best = std::max(best, *std::min_element(begin, end));
    }
    sum += best;
    std::size_t place = 0;
    while (place < array.size() && array[place] == x) array[place++] = 1;
    if (place == array.size()) return sum;
    ++array[place];
  }
}

TEST(MaxRMQExpectation, AgreesWithAllArrays) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("MaxRMQExpectation", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    Rational expected = Rational(sum_over_arrays(parameter));
    for (int i = parameter["N"].get<int>(); i > 0; --i) expected /= parameter["X"].get<int>();
    const auto prime = parameter["MOD"].get<std::int64_t>();
    EXPECT_EQ(problem->reference(), format_answer(rational_residue(expected, prime)));
    EXPECT_FALSE(is_integer(expected));
  }
}

// The mean of 1 … 5.
TEST(MaxRMQExpectation, TakesASinglePlaceFromOutside) {
  const auto problem = restore_problem(
      "MaxRMQExpectation", R"({"N": 5, "X": 5, "Q": 1, "intervals": [[2, 2]], "MOD": 998244353})");
  EXPECT_EQ(problem->reference(), "3");
  EXPECT_EQ(problem->score("2").reward, 0.0);
  EXPECT_EQ(problem->score("998244356").reward, kInvalidReward);
}

TEST(MaxRMQExpectation, LetsNoIntervalCountAlone) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("MaxRMQExpectation", 1 + static_cast<int>(seed % 9), seed);
    const Json parameter = problem->parameter();
    int first = 1;
    int last = parameter["N"].get<int>();
    for (const Json& interval : parameter["intervals"]) {
      first = std::max(first, interval[0].get<int>());
      last = std::min(last, interval[1].get<int>());
    }
    for (const Json& interval : parameter["intervals"]) {
      EXPECT_NE(interval, (Json{first, last}));
    }
  }
}

}  // namespace
}  // namespace redqueen
