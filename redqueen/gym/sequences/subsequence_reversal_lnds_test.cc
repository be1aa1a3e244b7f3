#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Sequence = std::vector<std::int64_t>;

int longest_non_decreasing(const Sequence& a) {
  std::vector<int> ending(a.size(), 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (a[j] <= a[i]) ending[i] = std::max(ending[i], ending[j] + 1);
    }
  }
  return *std::ranges::max_element(ending);
}

// Every set of positions is reversed.
int longest_after_any_reversal(const Sequence& a) {
  int longest = 0;
  for (unsigned chosen = 0; chosen < 1U << a.size(); ++chosen) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if ((chosen >> i & 1) != 0) places.push_back(i);
    }
    Sequence reversed = a;
    for (std::size_t i = 0; i < places.size(); ++i) {
      reversed[places[i]] = a[places[places.size() - 1 - i]];
    }
    longest = std::max(longest, longest_non_decreasing(reversed));
  }
  return longest;
}

TEST(SubsequenceReversalLNDS, AgreesWithEveryReversal) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("SubsequenceReversalLNDS", static_cast<int>(seed % 7), seed);
    const int longest = longest_after_any_reversal(problem->parameter()["A"].get<Sequence>());
    EXPECT_EQ(problem->reference(), std::to_string(longest));
  }
}

TEST(SubsequenceReversalLNDS, RefusesAWrongReference) {
  const Environment& environment = *Registry::native().find("SubsequenceReversalLNDS");
  EXPECT_TRUE(
      environment.restore(*parse_json(R"({"N": 4, "A": [4, 4, 4, 2], "reference_answer": 4})")));
  EXPECT_FALSE(
      environment.restore(*parse_json(R"({"N": 4, "A": [4, 4, 4, 2], "reference_answer": 3})")));
}

}  // namespace
}  // namespace redqueen
