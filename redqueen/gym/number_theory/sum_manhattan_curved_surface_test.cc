#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All triples, signs included.
std::int64_t sum_by_search(int a, int b) {
  std::int64_t sum = 0;
  for (int x = -b; x <= b; ++x) {
    for (int y = -b; y <= b; ++y) {
      for (int z = -b; z <= b; ++z) {
        const int norm = std::abs(x) + std::abs(y) + std::abs(z);
        if (x * y * z >= a && x * y * z <= b) sum += norm * norm;
      }
    }
  }
  return sum;
}

TEST(SumManhattan_CurvedSurface, AgreesWithAllTriples) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem =
        make_problem("SumManhattan_CurvedSurface", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(sum_by_search(parameter["A"].get<int>(), parameter["B"].get<int>())));
  }
}

// Neighbouring intervals add up, far beyond what a search can do.
TEST(SumManhattan_CurvedSurface, AddsUpOverIntervals) {
  const auto sum = [](int a, int b) {
    return BigInt(restore_problem("SumManhattan_CurvedSurface",
                                  fmt::format(R"({{"MAX_A_B": {1}, "A": {0}, "B": {1}}})", a, b))
                      ->reference());
  };
  EXPECT_EQ(sum(1, 3'000'000), sum(1, 1'234'567) + sum(1'234'568, 3'000'000));
}

}  // namespace
}  // namespace redqueen
