#include <algorithm>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

bool keeps_within_neighbours(const List& a) {
  for (std::size_t i = 2; i < a.size(); ++i) {
    std::int64_t low = 0;
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
    for (std::size_t j = 0; j + 1 < i; ++j) {
      if (a[j] <= a[i - 1]) low = std::max(low, a[j]);
      if (a[j] >= a[i - 1]) high = std::min(high, a[j]);
    }
    if (a[i] < low || a[i] > high) return false;
  }
  return true;
}

TEST(RangeShrinkingSequenceCounting, AgreesWithAllSequences) {
  Rng rng({.purpose = hash_name("bounds")});
  for (int round = 0; round < 60; ++round) {
    const int n = 3 + round % 4;
    List bounds(static_cast<std::size_t>(n));
    for (std::int64_t& bound : bounds) bound = rng.integer(1, n);
    std::int64_t count = 0;
    List a(bounds.size(), 1);
    while (true) {
      count += keeps_within_neighbours(a);
      std::size_t place = 0;
      while (place < a.size() && ++a[place] > bounds[place]) a[place++] = 1;
      if (place == a.size()) break;
    }
    const std::int64_t modulus = rng.integer(2, 3000);
    const Json parameter{
        {"N", n}, {"R", bounds}, {"MOD", modulus}, {"reference_answer", count % modulus}};
    EXPECT_TRUE(Registry::native().find("RangeShrinkingSequenceCounting")->restore(parameter))
        << parameter;
  }
}

TEST(RangeShrinkingSequenceCounting, CallsWhatIsNoResidueInvalid) {
  const auto problem =
      restore_problem("RangeShrinkingSequenceCounting",
                      R"({"N": 3, "R": [1, 1, 1], "MOD": 10, "reference_answer": 1})");
  EXPECT_TRUE(problem->score("1").solved);
  EXPECT_EQ(problem->score("11").reward, kInvalidReward);
  EXPECT_EQ(problem->score("-9").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
