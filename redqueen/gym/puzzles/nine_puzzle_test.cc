#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(NinePuzzle, ShiftsRowsToTheRightAndColumnsDown) {
  const auto problem = restore_problem(
      "NinePuzzle",
      R"({"N": 2, "M": 3, "row_K": 2, "col_K": 1, "start_grid": [[0, 1, 2], [3, 4, 5]],
          "destination_grid": [[1, 4, 0], [3, 2, 5]], "reference_answer": "row 0 -1\ncolumn 1 1"})");
  EXPECT_TRUE(problem->score("row 0 -1\ncolumn 1 1").solved);
  EXPECT_TRUE(problem->score("row 0 2\ncolumn 1 -1\nrow 1 0").solved);
  EXPECT_DOUBLE_EQ(problem->score("row 0 -1").reward, std::pow(4.0 / 6.0, 10));
  EXPECT_EQ(problem->score("row 2 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("column 0 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("row 0 -3").reward, kInvalidReward);
  for (const char* answer : {"Row 0 1", "row 0", "row 0 1 1", "row 0 x", "0 1"}) {
    EXPECT_EQ(problem->score(answer).reward, kMalformedReward) << answer;
  }
}

// Each shift as so many exchanges of neighbours, in grids that are one list.
TEST(NinePuzzle, AgreesWithExchangesOfNeighbours) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("NinePuzzle", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const auto rows = parameter["N"].get<int>();
    const auto columns = parameter["M"].get<int>();
    std::vector<std::int64_t> grid;
    std::vector<std::int64_t> destination;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        grid.push_back(parameter["start_grid"][row][column].get<std::int64_t>());
        destination.push_back(parameter["destination_grid"][row][column].get<std::int64_t>());
      }
    }
    const std::string reference = problem->reference();
    for (const std::string_view line : split_lines(reference)) {
      const auto words = split_words(line);
      const bool is_row = words[0] == "row";
      const std::int64_t index = *parse_int64(words[1]);
      const std::int64_t size = is_row ? columns : rows;
      const auto place = [&](std::int64_t i) {
        return is_row ? index * columns + i : i * columns + index;
      };
      for (std::int64_t s = (*parse_int64(words[2]) + size) % size; s > 0; --s) {
        for (std::int64_t i = size - 1; i > 0; --i) std::swap(grid[place(i)], grid[place(i - 1)]);
      }
    }
    EXPECT_EQ(grid, destination);
    EXPECT_TRUE(problem->score(reference).solved);
    EXPECT_FALSE(problem->score("").solved);
  }
}

}  // namespace
}  // namespace redqueen
