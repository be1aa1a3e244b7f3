#include "redqueen/gym/common/number/rational_residue.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Expected steps from every set of coloured vertices (vertex v is bit v − 1) to the full one.
Rational expected_steps(const Json& parameter) {
  const int n = parameter["N"].get<int>();
  std::vector<int> parent(static_cast<std::size_t>(n) + 1);
  for (const Json& pair : parameter["parents"]) parent[pair[1].get<int>()] = pair[0].get<int>();
  std::vector<std::uint32_t> colours(static_cast<std::size_t>(n) + 1);  // of a drawn vertex
  for (int v = 1; v <= n; ++v) {
    for (int above = v; above != 0; above = parent[above]) colours[v] |= 1u << (above - 1);
  }
  const std::uint32_t full = (1u << n) - 1;
  std::vector<Rational> steps(std::size_t{1} << n);
  for (std::uint32_t coloured = full; coloured-- > 0;) {
    Rational sum = 0;
    int free = 0;
    for (int v = 1; v <= n; ++v) {
      if (coloured >> (v - 1) & 1) continue;
      ++free;
      sum += steps[coloured | colours[v]];
    }
    steps[coloured] = 1 + sum / free;
  }
  return steps[0];
}

TEST(TreeElimination_Expectation, AgreesWithAllOrdersOfColouring) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem =
        make_problem("TreeElimination_Expectation", static_cast<int>(seed % 6), seed);
    const Rational steps = expected_steps(problem->parameter());
    EXPECT_EQ(problem->reference(), format_answer(rational_residue(steps, 1'000'000'007)));
  }
}

TEST(TreeElimination_Expectation, RefusesWhatIsNoRootedTree) {
  const Environment* environment = Registry::native().find("TreeElimination_Expectation");
  for (const Json& parents : {Json{{1, 2}}, Json{{1, 2}, {2, 1}}, Json{{2, 1}, {1, 3}},
                              Json{{1, 2}, {1, 4}}, Json{{0, 1}, {1, 2}}, Json{{2, 3}, {3, 2}}}) {
    EXPECT_FALSE(environment->restore({{"N", 3}, {"parents", parents}}).has_value()) << parents;
  }
  EXPECT_TRUE(environment->restore({{"N", 3}, {"parents", {{3, 2}, {1, 3}}}}).has_value());
}

}  // namespace
}  // namespace redqueen
