#include <numeric>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Long division: purely periodic when the first remainder comes back.
bool purely_periodic(int x, int y, int base) {
  const int first = x % y;
  int remainder = first;
  for (int step = 0; step < y; ++step) {
    remainder = remainder * base % y;
    if (remainder == first) return true;
  }
  return false;
}

TEST(CirculatingDecimalCounting, AgreesWithLongDivision) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("CirculatingDecimalCounting", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    std::set<std::pair<int, int>> values;
    for (int x = 1; x <= parameter["N"].get<int>(); ++x) {
      for (int y = 1; y <= parameter["M"].get<int>(); ++y) {
        if (!purely_periodic(x, y, parameter["K"].get<int>())) continue;
        values.emplace(x / std::gcd(x, y), y / std::gcd(x, y));
      }
    }
    EXPECT_EQ(problem->reference(), format_answer(static_cast<int>(values.size())));
  }
}

TEST(CirculatingDecimalCounting, TakesABaseBeyondTheDenominators) {
  const auto problem =
      restore_problem("CirculatingDecimalCounting",
                      R"({"MAX_N": 9, "MAX_M": 9, "MAX_K": 1000000, "N": 2, "M": 4, "K": 999999})");
  EXPECT_EQ(problem->reference(),
            "4");  // 1, 2, 1/2, 1/4 and not 1/3, 2/3: 999999 is a multiple of 3
}

}  // namespace
}  // namespace redqueen
