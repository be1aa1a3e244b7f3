#include <algorithm>
#include <string>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Orders kinds of people in every way; the people of each kind are ordered among themselves after.
std::int64_t rows(int boys, int girls) {
  std::string kinds = std::string(boys, 'b') + std::string(girls, 'g') + "tt";
  std::int64_t count = 0;
  do {
    count += kinds.find("gg") == std::string::npos && kinds.find("tt") == std::string::npos;
  } while (std::ranges::next_permutation(kinds).found);
  for (int i = 2; i <= boys; ++i) count *= i;
  for (int i = 2; i <= girls; ++i) count *= i;
  return 2 * count;
}

TEST(NoAdjacentGirlCounting, AgreesWithAllOrdersOfKinds) {
  for (int boys = 0; boys <= 6; ++boys) {
    for (int girls = 0; girls <= 7; ++girls) {
      EXPECT_NE(restore_problem("NoAdjacentGirlCounting",
                                fmt::format(R"({{"MAX_N_M": 7, "N": {}, "M": {}, )"
                                            R"("reference_answer": {}}})",
                                            boys, girls, rows(boys, girls))),
                nullptr);
    }
  }
}

TEST(NoAdjacentGirlCounting, TellsLargeCountsFromTheirNeighbours) {
  const auto problem = make_problem("NoAdjacentGirlCounting", 15, 1);
  const BigInt beside = BigInt(problem->reference()) + 1;
  EXPECT_FALSE(problem->score(beside.str()).solved);
}

TEST(NoAdjacentGirlCounting, LeavesSomeRow) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_NE(
        make_problem("NoAdjacentGirlCounting", static_cast<int>(seed % 10), seed)->reference(),
        "0");
  }
}

}  // namespace
}  // namespace redqueen
