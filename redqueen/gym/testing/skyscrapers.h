// Lists all small Latin squares, against which the tests of the two Skyscraper puzzles hold the
// verdicts.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/json.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {

using LatinSquare = std::vector<std::vector<int>>;

// All of them with such a side, made of permutations by rows.
inline std::vector<LatinSquare> latin_squares(int n) {
  std::vector<int> order;
  for (int i = 0; i < n; ++i) order.push_back(i);
  std::vector<LatinSquare> squares{{}};
  for (int row = 0; row < n; ++row) {
    std::vector<LatinSquare> longer;
    for (const LatinSquare& square : squares) {
      do {
        const bool fits = std::ranges::all_of(square, [&](const std::vector<int>& other) {
          return std::ranges::equal(other, order, std::ranges::not_equal_to());
        });
        if (!fits) continue;
        longer.push_back(square);
        longer.back().push_back(order);
      } while (std::ranges::next_permutation(order).found);
    }
    squares = std::move(longer);
  }
  return squares;
}

// Returns the number that each building adds to the clue of a line: nothing unless it is higher
// than all before it, with which it is compared one by one.
template <typename Worth>
int skyscraper_clue(const std::vector<int>& line, Worth worth) {
  int clue = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_seen = std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(i),
                                     [&](int before) { return before < line[i]; });
    if (is_seen) clue += worth(line[i]);
  }
  return clue;
}

template <typename Worth>
bool has_skyscraper_clues(const LatinSquare& square, const Json& parameter, Worth worth) {
  for (std::size_t i = 0; i < square.size(); ++i) {
    std::vector<int> row = square[i];
    std::vector<int> column;
    for (const auto& other : square) column.push_back(other[i]);
    if (skyscraper_clue(row, worth) != parameter["left"][i]) return false;
    if (skyscraper_clue(column, worth) != parameter["top"][i]) return false;
    std::ranges::reverse(row);
    std::ranges::reverse(column);
    if (skyscraper_clue(row, worth) != parameter["right"][i]) return false;
    if (skyscraper_clue(column, worth) != parameter["bottom"][i]) return false;
  }
  return true;
}

// The environment's verdict on every Latin square of sides 3 and 4 is that of its clues.
template <typename Worth>
void expect_clues_to_decide(std::string_view environment, Worth worth) {
  const std::vector<std::vector<LatinSquare>> squares{latin_squares(3), latin_squares(4)};
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = make_problem(environment, static_cast<int>(seed % 2), seed);
    const Json parameter = problem->parameter();
    for (const LatinSquare& square : squares[seed % 2]) {
      std::string text;
      for (const auto& row : square) text += format_answer(row) + "\n";
      const bool right = has_skyscraper_clues(square, parameter, worth);
      EXPECT_EQ(problem->score(text).solved, right) << text;
      solved += right;
    }
  }
  EXPECT_GE(solved, 20);
}

inline void expect_faults_of_skyscrapers_told(std::string_view environment) {
  const auto problem = make_problem(environment, 0, 1);
  EXPECT_EQ(problem->score("0 1 2\n0 1 2\n0 1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2 3\n2 3 1\n3 1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2\n1 2 0").reward, kMalformedReward);
}

}  // namespace redqueen
