#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Chooses the elements from the last to the first.
std::int64_t sequences(std::int64_t sum, std::int64_t elements, std::int64_t bound) {
  if (elements == 1) return sum;
  std::int64_t found = 0;
  for (std::int64_t last = 1; last <= bound && last < sum; ++last) {
    found += sequences(sum - last, elements - 1, bound);
  }
  return found;
}

TEST(IndividualSumBounded_SequenceCounting, AgreesWithAllSequences) {
  for (std::int64_t n = 2; n <= 16; ++n) {
    for (std::int64_t k = 2; k <= n; ++k) {
      for (std::int64_t m = 1; m <= (n - 1) / (k - 1); ++m) {
        const std::int64_t count = sequences(n, k, m);
        for (const std::int64_t modulus : {1, 2, 100, 999'999'999}) {
          EXPECT_NE(restore_problem("IndividualSumBounded_SequenceCounting",
                                    dump_json(Json{{"MAX_N", n},
                                                   {"N", n},
                                                   {"K", k},
                                                   {"M", m},
                                                   {"MOD", modulus},
                                                   {"reference_answer", count % modulus}})),
                    nullptr)
              << n << " " << k << " " << m;
        }
      }
    }
  }
}

TEST(IndividualSumBounded_SequenceCounting, LeavesRoomForTheFirstElement) {
  for (const int level : {0, 1, 2, 10, 40, 56}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Json parameter =
          make_problem("IndividualSumBounded_SequenceCounting", level, seed)->parameter();
      const auto k = parameter["K"].get<std::int64_t>();
      const auto m = parameter["M"].get<std::int64_t>();
      EXPECT_GE(m, 2);
      EXPECT_LT(m * (k - 1), parameter["N"].get<std::int64_t>());
    }
  }
}

}  // namespace
}  // namespace redqueen
