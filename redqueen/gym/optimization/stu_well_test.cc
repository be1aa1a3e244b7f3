#include <algorithm>
#include <cstdlib>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Tries all lower sequences.
std::int64_t least_roughness(const List& x, List& lowered, std::int64_t left) {
  const std::size_t i = lowered.size();
  if (i == x.size()) {
    if (std::ranges::min(lowered) > 0) return std::numeric_limits<std::int64_t>::max();
    std::int64_t greatest = 0;
    for (std::size_t j = 1; j < i; ++j) {
      greatest = std::max(greatest, std::abs(lowered[j] - lowered[j - 1]));
    }
    return greatest;
  }
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t steps = 0; steps <= std::min(left, x[i]); ++steps) {
    lowered.push_back(x[i] - steps);
    least = std::min(least, least_roughness(x, lowered, left - steps));
    lowered.pop_back();
  }
  return least;
}

TEST(STUWell, AgreesWithAllLowerSequences) {
  const Environment& environment = *Registry::native().find("STUWell");
  Rng rng({.purpose = hash_name("well")});
  for (int round = 0; round < 200; ++round) {
    List x(rng.integer(2, 5));
    std::int64_t sum = 0;
    for (std::int64_t& value : x) sum += value = rng.integer(1, 7);
    const std::int64_t m = rng.integer(std::ranges::min(x), sum);
    List lowered;
    const std::int64_t least = least_roughness(x, lowered, m);
    Json parameter{{"N", x.size()}, {"X", x}, {"M", m}, {"reference_answer", least}};
    EXPECT_TRUE(environment.restore(parameter).has_value()) << parameter.dump();
    parameter["reference_answer"] = least + 1;
    EXPECT_FALSE(environment.restore(parameter).has_value()) << parameter.dump();
  }
}

TEST(STUWell, HasAnswersOfAllSizes) {
  std::vector<int> often(100);
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    ++often[make_problem("STUWell", 5, seed)->parameter()["reference_answer"].get<std::size_t>()];
  }
  EXPECT_LT(std::ranges::max(often), 80);
}

}  // namespace
}  // namespace redqueen
