#include "redqueen/gym/testing/skyscrapers.h"

namespace redqueen {
namespace {

TEST(SkyscraperPuzzle, SolvesSquaresThatHaveTheCounts) {
  expect_clues_to_decide("SkyscraperPuzzle", [](int) { return 1; });
}

TEST(SkyscraperPuzzle, TellsWhatIsWrong) { expect_faults_of_skyscrapers_told("SkyscraperPuzzle"); }

}  // namespace
}  // namespace redqueen
