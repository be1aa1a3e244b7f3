#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(DerangementExtension, AgreesWithAllPermutations) {
  for (int n = 1; n <= 8; ++n) {
    std::vector<int> permutation(static_cast<std::size_t>(n));
    std::iota(permutation.begin(), permutation.end(), 0);
    std::vector<int> with_fixed_points(static_cast<std::size_t>(n) + 1);
    do {
      int fixed = 0;
      for (int i = 0; i < n; ++i) fixed += permutation[i] == i;
      ++with_fixed_points[fixed];
    } while (std::ranges::next_permutation(permutation).found);
    for (int m = 0; m <= n; ++m) {
      for (const int prime : {11, 101, 1'000'000'007}) {
        EXPECT_NE(
            restore_problem("DerangementExtension",
                            dump_json(Json{{"N", n},
                                           {"M", m},
                                           {"MOD", prime},
                                           {"reference_answer", with_fixed_points[m] % prime}})),
            nullptr)
            << n << " " << m;
      }
    }
  }
}

TEST(DerangementExtension, RefusesAModulusThatIsNotPrime) {
  const Environment* environment = Registry::native().find("DerangementExtension");
  EXPECT_FALSE(environment->restore(Json{{"N", 4}, {"M", 0}, {"MOD", 9}, {"reference_answer", 0}})
                   .has_value());
}

TEST(DerangementExtension, NeverAsksForTheTrivialCounts) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Json parameter =
        make_problem("DerangementExtension", static_cast<int>(seed % 5), seed)->parameter();
    EXPECT_LE(parameter["M"].get<int>(), parameter["N"].get<int>() - 2);
    EXPECT_NE(parameter["reference_answer"], 0);
  }
}

}  // namespace
}  // namespace redqueen
