#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::int64_t heaps(int n) {
  std::vector<int> permutation(static_cast<std::size_t>(n));
  std::iota(permutation.begin(), permutation.end(), 1);
  std::int64_t found = 0;
  do {
    bool heap = true;
    for (int i = 2; i <= n && heap; ++i) heap = permutation[i - 1] > permutation[i / 2 - 1];
    found += heap;
  } while (std::ranges::next_permutation(permutation).found);
  return found;
}

TEST(HeapCounting, AgreesWithAllPermutations) {
  for (int n = 1; n <= 9; ++n) {
    const std::int64_t count = heaps(n);
    for (const int prime : {2, 3, 5, 7, 11, 101, 999'983}) {
      EXPECT_NE(
          restore_problem(
              "HeapCounting",
              dump_json(
                  Json{{"MAX_N", 9}, {"N", n}, {"P", prime}, {"reference_answer", count % prime}})),
          nullptr)
          << n << " modulo " << prime;
    }
  }
}

TEST(HeapCounting, NeverAsksForZero) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_NE(make_problem("HeapCounting", static_cast<int>(seed % 12), seed)->reference(), "0");
  }
}

}  // namespace
}  // namespace redqueen
