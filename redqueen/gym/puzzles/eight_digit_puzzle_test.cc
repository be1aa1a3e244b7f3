#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// All words of up to `most` letters, played on a grid of one line, row after row.
TEST(EightDigitPuzzle, AgreesWithPlayingAllShortWords) {
  const List start{1, 4, 2, 0, 3, 5};  // 3 rows of 2
  const List destination{1, 4, 3, 2, 0, 5};
  const auto problem = restore_problem("EightDigitPuzzle",
                                       R"({"N": 3, "M": 2, "start_grid": [[1, 4], [2, 0], [3, 5]],
          "destination_grid": [[1, 4], [3, 2], [0, 5]], "reference_answer": "LD"})");
  int solved = 0;
  int words = 0;
  const std::function<void(const std::string&, const List&, bool)> play =
      [&](const std::string& word, const List& grid, bool is_legal) {
        std::int64_t matches = 0;
        for (std::size_t i = 0; i < grid.size(); ++i) matches += grid[i] == destination[i];
        const Verdict verdict = problem->score(word);
        ++words;
        if (is_legal) {
          EXPECT_NEAR(verdict.reward, std::pow(static_cast<double>(matches) / 6.0, 10), 1e-12);
        } else {
          EXPECT_EQ(verdict.reward, kInvalidReward) << word;
        }
        solved += verdict.solved;
        if (word.size() == 6) return;
        const auto zero = std::ranges::find(grid, 0) - grid.begin();
        const auto go = [&](char letter, bool fits, std::ptrdiff_t to) {
          List next = grid;
          if (is_legal && fits) std::swap(next[zero], next[to]);
          play(word + letter, next, is_legal && fits);
        };
        go('U', zero >= 2, zero - 2);
        go('D', zero < 4, zero + 2);
        go('L', zero % 2 == 1, zero - 1);
        go('R', zero % 2 == 0, zero + 1);
      };
  play("", start, true);
  EXPECT_EQ(words, 1 + 4 + 16 + 64 + 256 + 1024 + 4096);
  EXPECT_GT(solved, 3);
}

TEST(EightDigitPuzzle, ReadsLettersOnly) {
  const auto problem = make_problem("EightDigitPuzzle", 3, 1);
  for (const char* answer : {"u", "U D", "U,D", "UX"}) {
    EXPECT_EQ(problem->score(answer).reward, kMalformedReward) << answer;
  }
  EXPECT_GT(problem->score("").reward, kMalformedReward);
}

TEST(EightDigitPuzzle, NeverStartsWhereItEnds) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Json parameter =
        make_problem("EightDigitPuzzle", static_cast<int>(seed % 10), seed)->parameter();
    EXPECT_NE(parameter["start_grid"], parameter["destination_grid"]);
  }
}

}  // namespace
}  // namespace redqueen
