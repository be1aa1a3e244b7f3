#include "redqueen/gym/common/parameter/hardening.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

// A number that is easy in as many ways as it exceeds 3.
int ways(int number, int) { return std::max(0, number - 3); }

TEST(Hardening, KeepsOnlyChangesThatAreNoEasier) {
  int calls = 0;
  const auto change = [&](int& number) { number += ++calls % 2 == 0 ? -1 : 1; };
  EXPECT_EQ(draw_hardened(
                1, 20, [] { return 8; }, change, ways),
            3);
  EXPECT_EQ(calls, 10);  // every second one was refused
}

TEST(Hardening, LeavesADrawThatIsHardAsItIs) {
  const auto never = [](int&) { FAIL() << "nothing to change"; };
  EXPECT_EQ(draw_hardened(
                1, 20, [] { return 2; }, never, ways),
            2);
}

TEST(Hardening, DrawsAnewAfterItsStepsAndGivesUpAfterItsDraws) {
  int drawn = 0;
  const auto draw = [&] { return ++drawn == 3 ? 4 : 90; };
  const auto change = [](int& number) { --number; };
  EXPECT_EQ(draw_hardened(5, 2, draw, change, ways), 3);
  EXPECT_EQ(drawn, 3);
  EXPECT_THROW(draw_hardened(
                   5, 2, [] { return 90; }, change, ways),
               Retry);
}

TEST(Hardening, VariesWhatIsHardAsLongAsItStaysSo) {
  int number = 3;
  const auto change = [&](int& copy) { copy += ++number % 3 == 0 ? 5 : -1; };
  const auto is_easy = [](int copy) { return copy > 3; };
  EXPECT_EQ(vary_hard(2, 6, change, is_easy), 3);
  EXPECT_EQ(vary_hard(2, 0, change, is_easy), 2);
}

}  // namespace
}  // namespace redqueen
