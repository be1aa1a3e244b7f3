#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Writes every sequence down.
std::int64_t sequences_with_equal_neighbours(int n, int m) {
  std::int64_t count = 0;
  std::vector<int> sequence(static_cast<std::size_t>(n));
  while (true) {
    bool equal = false;
    for (int i = 1; i < n; ++i) equal = equal || sequence[i] == sequence[i - 1];
    count += equal;
    int place = 0;
    while (place < n && ++sequence[place] == m) sequence[place++] = 0;
    if (place == n) return count;
  }
}

TEST(SameAdjacencyCounting, AgreesWithAllSequences) {
  for (int n = 1; n <= 7; ++n) {
    for (int m = 1; m <= 5; ++m) {
      const std::int64_t right = sequences_with_equal_neighbours(n, m);
      for (const int modulus : {1, 2, 7, 1000, 1'000'000}) {
        const auto problem = restore_problem(
            "SameAdjacencyCounting",
            fmt::format(R"({{"MAX_N": 7, "MAX_M": 5, "N": {}, "M": {}, "MOD": {}}})", n, m,
                        modulus));
        EXPECT_EQ(problem->reference(), format_answer(right % modulus));
      }
    }
  }
}

TEST(SameAdjacencyCounting, CallsWhatIsNoResidueInvalid) {
  const auto problem = restore_problem("SameAdjacencyCounting",
                                       R"({"MAX_N": 7, "MAX_M": 2, "N": 3, "M": 2, "MOD": 5})");
  EXPECT_EQ(problem->score("1").reward, 1.0);  // 6, less 5
  EXPECT_EQ(problem->score("6").reward, kInvalidReward);
  EXPECT_EQ(problem->score("-4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
