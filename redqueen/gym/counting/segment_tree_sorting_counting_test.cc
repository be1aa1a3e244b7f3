#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Tries every operation of a kind that is left.
int sequences(std::vector<int>& array, int n, std::uint32_t used) {
  int count = std::ranges::is_sorted(array) ? 1 : 0;
  for (int kind = 1; kind <= n; ++kind) {
    if ((used >> kind & 1) == 1) continue;
    const int length = 1 << (kind - 1);
    const int blocks = 1 << (n - kind + 1);
    for (int i = 0; i < blocks; ++i) {
      for (int j = i + 1; j < blocks; ++j) {
        const auto exchange = [&] {
          std::swap_ranges(array.begin() + i * length, array.begin() + (i + 1) * length,
                           array.begin() + j * length);
        };
        exchange();
        count += sequences(array, n, used | std::uint32_t{1} << kind);
        exchange();
      }
    }
  }
  return count;
}

TEST(SegmentTreeSortingCounting, AgreesWithAllOperationsOnEveryOrderOfFour) {
  for (int n = 1; n <= 2; ++n) {
    std::vector<int> array(std::size_t{1} << n);
    std::iota(array.begin(), array.end(), 1);
    do {
      EXPECT_NE(restore_problem(
                    "SegmentTreeSortingCounting",
                    dump_json(Json{
                        {"N", n}, {"A", array}, {"reference_answer", sequences(array, n, 0)}})),
                nullptr);
    } while (std::ranges::next_permutation(array).found);
  }
}

TEST(SegmentTreeSortingCounting, AgreesWithAllOperationsOnEightAndSixteen) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const int level = seed < 26 ? 1 : 2;
    const auto problem = make_problem("SegmentTreeSortingCounting", level, seed);
    auto array = problem->parameter()["A"].get<std::vector<int>>();
    EXPECT_EQ(problem->reference(), format_answer(sequences(array, 2 + level, 0)));
  }
}

}  // namespace
}  // namespace redqueen
