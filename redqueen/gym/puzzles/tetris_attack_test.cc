#include <map>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Row = std::vector<int>;

// Scans the whole row until no pair is left.
Row after(Row row, std::size_t move) {
  std::swap(row[move], row[move + 1]);
  for (std::size_t i = 0; i + 1 < row.size();) {
    if (row[i] != row[i + 1]) {
      ++i;
      continue;
    }
    row.erase(row.begin() + static_cast<std::ptrdiff_t>(i),
              row.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    i = 0;
  }
  return row;
}

// Breadth-first search over rows.
int least_moves(const Row& start) {
  std::set<Row> seen{start};
  std::vector<Row> layer{start};
  for (int moves = 0;; ++moves) {
    std::vector<Row> next;
    for (const Row& row : layer) {
      if (row.empty()) return moves;
      for (std::size_t i = 0; i + 1 < row.size(); ++i) {
        Row other = after(row, i);
        if (seen.insert(other).second) next.push_back(std::move(other));
      }
    }
    layer = std::move(next);
  }
}

TEST(TetrisAttack, KnowsTheLeastNumberOfMoves) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("TetrisAttack", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["gold_answer"], least_moves(parameter["A"].get<Row>()))
        << problem->prompt();
  }
}

// Random moves, replayed by scanning.
TEST(TetrisAttack, MakesPairsVanish) {
  Rng rng({.seed = 3});
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("TetrisAttack", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const std::string moves = problem->random_answer(rng);
    Row row = parameter["A"].get<Row>();
    const auto list = *parse_int_list(moves);
    for (const std::int64_t move : list) row = after(row, static_cast<std::size_t>(move));
    const double best = parameter["gold_answer"].get<double>();
    const double expected =
        row.empty() ? std::pow(best / static_cast<double>(list.size()), 5) : -0.2;
    EXPECT_NEAR(problem->score(moves).reward, expected, 1e-12) << moves;
  }
}

TEST(TetrisAttack, TellsWhatIsWrong) {
  const auto problem =
      restore_problem("TetrisAttack", R"({"N": 3, "A": [0, 1, 2, 0, 1, 2], "gold_answer": 3})");
  EXPECT_EQ(problem->score("2 1 1").reward, 1.0);
  EXPECT_DOUBLE_EQ(problem->score("2 2 2 1 1").reward, std::pow(3.0 / 5.0, 5));
  EXPECT_EQ(problem->score("2 1").reward, -0.2);
  EXPECT_EQ(problem->score("").reward, -0.2);
  EXPECT_EQ(problem->score("5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 1 1 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("x").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
