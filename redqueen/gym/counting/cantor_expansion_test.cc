#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Steps through all arrangements, from the sorted one on.
std::int64_t arrangements_before(const std::vector<int>& list) {
  std::vector<int> arrangement = list;
  std::ranges::sort(arrangement);
  std::int64_t steps = 0;
  for (; arrangement != list; ++steps) std::ranges::next_permutation(arrangement);
  return steps;
}

TEST(CantorExpansion, AgreesWithAllArrangements) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("CantorExpansion", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const std::int64_t before = arrangements_before(parameter["A"].get<std::vector<int>>());
    EXPECT_EQ(problem->reference(), format_answer(before % parameter["MOD"].get<std::int64_t>()));
  }
}

TEST(CantorExpansion, TakesAnyModulus) {
  const std::vector<int> list{3, 1, 3, 2, 2, 1, 3, 1, 2};
  for (int modulus = 1; modulus <= 60; ++modulus) {
    const std::int64_t answer = arrangements_before(list) % modulus;
    EXPECT_NE(
        restore_problem(
            "CantorExpansion",
            dump_json(Json{{"N", 9}, {"A", list}, {"MOD", modulus}, {"reference_answer", answer}})),
        nullptr)
        << modulus;
  }
}

}  // namespace
}  // namespace redqueen
