#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Searches all moves; every bean weighs 3^(bottles after its own), so that moves lose weight and
// the search ends.
bool splitter_wins(const std::vector<int>& beans) {
  static std::map<std::vector<int>, bool> known;
  if (const auto found = known.find(beans); found != known.end()) return found->second;
  bool wins = false;
  for (std::size_t i = 0; i < beans.size() && !wins; ++i) {
    if (beans[i] == 0) continue;
    for (std::size_t j = i + 1; j < beans.size() && !wins; ++j) {
      for (std::size_t k = j; k < beans.size() && !wins; ++k) {
        std::vector<int> next = beans;
        --next[i];
        ++next[j];
        ++next[k];
        wins = !splitter_wins(next);
      }
    }
  }
  return known[beans] = wins;
}

TEST(SplittingGame, AgreesWithASearchOfAllMoves) {
  for (const auto& most : {std::vector<int>{5}, {5, 2}, {4, 4, 1}, {2, 2, 3, 1}, {1, 1, 2, 1, 0}}) {
    std::vector<int> beans(most.size(), 0);
    const std::function<void(std::size_t)> visit = [&](std::size_t place) {
      if (place == beans.size()) {
        const auto problem =
            restore_problem("SplittingGame", Json{{"N", beans.size()}, {"P", beans}}.dump());
        EXPECT_EQ(problem->reference(), splitter_wins(beans) ? "Alice" : "Bob")
            << problem->prompt();
        return;
      }
      for (beans[place] = 0; beans[place] <= most[place]; ++beans[place]) visit(place + 1);
      beans[place] = 0;
    };
    visit(0);
  }
}

TEST(SplittingGame, LetsEitherPlayerWinAsOften) {
  int first = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    first += make_problem("SplittingGame", 4, seed)->reference() == "Alice";
  EXPECT_NEAR(first, 200, 50);
}

}  // namespace
}  // namespace redqueen
