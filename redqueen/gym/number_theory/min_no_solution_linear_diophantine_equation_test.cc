#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Marks every sum below A·B, the first number from which all are sums.
int largest_gap(int a, int b) {
  std::vector<char> reached(static_cast<std::size_t>(a * b), 0);
  for (int x = 0; x < a * b; x += a) {
    for (int z = x; z < a * b; z += b) reached[z] = 1;
  }
  int largest = a * b - 1;
  while (reached[largest]) --largest;
  return largest;
}

TEST(MinNoSolutionLinearDiophantineEquation, AgreesWithMarkedSums) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem =
        make_problem("MinNoSolutionLinearDiophantineEquation", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(largest_gap(parameter["A"].get<int>(), parameter["B"].get<int>())));
  }
}

TEST(MinNoSolutionLinearDiophantineEquation, RefusesNumbersThatShareAFactor) {
  const Environment* environment =
      Registry::native().find("MinNoSolutionLinearDiophantineEquation");
  EXPECT_FALSE(environment->restore(*parse_json(R"({"MAX_A_B": 9, "A": 4, "B": 6})")).has_value());
}

}  // namespace
}  // namespace redqueen
