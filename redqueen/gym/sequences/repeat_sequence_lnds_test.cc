#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// By the quadratic definition, over the whole sequence.
std::int64_t longest_in_all(const Json& parameter) {
  std::vector<std::int64_t> values;
  for (std::int64_t copy = 0; copy < parameter["T"].get<std::int64_t>(); ++copy) {
    for (const Json& value : parameter["a"]) values.push_back(value.get<std::int64_t>());
  }
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t longest = 0;
    for (std::size_t j = 0; j < i; ++j) {
      if (values[j] <= values[i]) longest = std::max(longest, lengths[j]);
    }
    lengths.push_back(longest + 1);
  }
  return *std::ranges::max_element(lengths);
}

TEST(RepeatSequenceLNDS, AgreesWithTheWholeSequence) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("RepeatSequenceLNDS", static_cast<int>(seed % 7), seed);
    EXPECT_EQ(problem->reference(), format_answer(longest_in_all(problem->parameter())));
  }
}

TEST(RepeatSequenceLNDS, AgreesForEverySmallNumberOfCopies) {
  Rng rng({.purpose = hash_name("copies")});
  for (int round = 0; round < 60; ++round) {
    Json parameter{{"n", 5}, {"T", round % 9 + 1}, {"a", Json::array()}};
    for (int i = 0; i < 5; ++i) parameter["a"].push_back(rng.integer(1, 5));
    parameter["reference_answer"] = longest_in_all(parameter);
    EXPECT_TRUE(Registry::native().find("RepeatSequenceLNDS")->restore(parameter)) << parameter;
    parameter["reference_answer"] = longest_in_all(parameter) + 1;
    EXPECT_FALSE(Registry::native().find("RepeatSequenceLNDS")->restore(parameter)) << parameter;
  }
}

}  // namespace
}  // namespace redqueen
