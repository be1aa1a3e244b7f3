#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Lists all sums with ascending summands, the first of which is at least `least`.
int sums(int number, int parts, int least) {
  if (parts == 0) return number == 0 ? 1 : 0;
  int count = 0;
  for (int first = least; first * parts <= number; ++first) {
    count += sums(number - first, parts - 1, first);
  }
  return count;
}

TEST(NumberPartitionCounting, AgreesWithAListOfAllSums) {
  for (int n = 1; n <= 30; ++n) {
    for (int k = 1; k <= n; ++k) {
      EXPECT_NE(restore_problem("NumberPartitionCounting",
                                fmt::format(R"({{"MAX_N": 30, "N": {}, "K": {}, )"
                                            R"("reference_answer": {}}})",
                                            n, k, sums(n, k, 1))),
                nullptr);
    }
  }
}

// The partitions of 1000 are known: 24061467864032622473692149727991 (MacMahon's method; OEIS
// A000041). As many have 1000 parts with sum 2000.
TEST(NumberPartitionCounting, CountsExactlyBeyondWords) {
  EXPECT_NE(restore_problem("NumberPartitionCounting",
                            R"({"MAX_N": 2000, "N": 2000, "K": 1000,
                                "reference_answer": 24061467864032622473692149727991})"),
            nullptr);
}

TEST(NumberPartitionCounting, TellsLargeCountsFromTheirNeighbours) {
  const auto problem = make_problem("NumberPartitionCounting", 12, 1);
  const BigInt beside = BigInt(problem->reference()) + 1;
  EXPECT_FALSE(problem->score(beside.str()).solved);
}

}  // namespace
}  // namespace redqueen
