#include "redqueen/gym/testing/skyscrapers.h"

namespace redqueen {
namespace {

TEST(SkyscraperSumPuzzle, SolvesSquaresThatHaveTheSums) {
  expect_clues_to_decide("SkyscraperSumPuzzle", [](int height) { return height; });
}

TEST(SkyscraperSumPuzzle, TellsWhatIsWrong) {
  expect_faults_of_skyscrapers_told("SkyscraperSumPuzzle");
}

}  // namespace
}  // namespace redqueen
