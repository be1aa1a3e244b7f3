#include <numeric>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

bool joined(std::int64_t a, std::int64_t b) {
  const std::int64_t sum = a * a + b * b;
  std::int64_t root = 0;
  while (root * root < sum) ++root;
  return root * root == sum && std::gcd(a, b) == 1;
}

std::int64_t sets_without_joined_pairs(const List& values) {
  std::vector<unsigned> near(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      near[i] |= static_cast<unsigned>(i != j && joined(values[i], values[j])) << j;
    }
  }
  std::int64_t count = 0;
  for (unsigned set = 1; set < 1u << values.size(); ++set) {
    bool free = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      free &= (set >> i & 1) == 0 || (near[i] & set) == 0;
    }
    count += free;
  }
  return count;
}

TEST(PythagoreanGraph_IndependentSetCounting, AgreesWithAllSets) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("PythagoreanGraph_IndependentSetCounting", static_cast<int>(seed % 9), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["reference_answer"], sets_without_joined_pairs(parameter["H"].get<List>()) %
                                                 parameter["MOD"].get<std::int64_t>())
        << problem->prompt();
  }
}

TEST(PythagoreanGraph_IndependentSetCounting, HasManyCounts) {
  std::set<std::string> counts;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    counts.insert(make_problem("PythagoreanGraph_IndependentSetCounting", 2, seed)->reference());
  }
  EXPECT_GT(counts.size(), 6u);
}

// All values that are accepted at once: they make no cycle.
TEST(PythagoreanGraph_IndependentSetCounting, HasNoCycleAmongTheValuesAccepted) {
  const Environment& environment =
      *Registry::native().find("PythagoreanGraph_IndependentSetCounting");
  List all(6000);
  std::iota(all.begin(), all.end(), 1);
  int accepted = 0;
  for (int residue = 0; residue < 2; ++residue) {
    accepted +=
        environment
            .restore(Json{{"N", 6000}, {"MOD", 2}, {"H", all}, {"reference_answer", residue}})
            .has_value();
  }
  EXPECT_EQ(accepted, 1);
}

}  // namespace
}  // namespace redqueen
