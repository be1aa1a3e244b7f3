#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(InversionPairK_Counting, AgreesWithAllPermutations) {
  for (int n = 1; n <= 8; ++n) {
    std::vector<int> permutation(static_cast<std::size_t>(n));
    std::iota(permutation.begin(), permutation.end(), 1);
    std::vector<int> with_inversions(static_cast<std::size_t>(n * (n - 1) / 2) + 1);
    do {
      int inversions = 0;
      for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) inversions += permutation[i] > permutation[j];
      }
      ++with_inversions[inversions];
    } while (std::ranges::next_permutation(permutation).found);
    for (std::size_t k = 0; k < with_inversions.size(); ++k) {
      for (const int modulus : {1, 2, 30, 999'999}) {
        EXPECT_NE(
            restore_problem("InversionPairK_Counting",
                            dump_json(Json{{"N", n},
                                           {"K", k},
                                           {"MOD", modulus},
                                           {"reference_answer", with_inversions[k] % modulus}})),
            nullptr)
            << n << " " << k;
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
