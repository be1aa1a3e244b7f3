#include <gtest/gtest.h>

#include <map>
#include <set>

#include "redqueen/gym/common/grid/matrix_sums.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/grid/search.h"
#include "redqueen/gym/common/grid/shape.h"

namespace redqueen {
namespace {

TEST(GridShape, VisitsTheCellsThatShareASide) {
  for (const GridShape shape :
       {GridShape{1, 1}, GridShape{1, 4}, GridShape{4, 1}, GridShape{3, 5}}) {
    for (int place = 0; place < shape.cells(); ++place) {
      std::set<int> expected;
      for (int other = 0; other < shape.cells(); ++other) {
        const int down = std::abs(shape.row(place) - shape.row(other));
        if (down + std::abs(shape.column(place) - shape.column(other)) == 1) expected.insert(other);
      }
      std::multiset<int> visited;
      shape.for_each_neighbour(place, [&](int other) { visited.insert(other); });
      EXPECT_EQ(visited, std::multiset<int>(expected.begin(), expected.end()));
    }
  }
}

TEST(GridShape, IsCheckedWithoutOverflow) {
  EXPECT_TRUE(check_shape("N", 10, "M", 10, 1, 100));
  EXPECT_FALSE(check_shape("N", 10, "M", 11, 1, 100));
  EXPECT_FALSE(check_shape("N", std::int64_t{1} << 62, "M", std::int64_t{1} << 62, 1, 100));
  EXPECT_FALSE(check_shape("N", 1, "M", 50, 2, 100));
}

TEST(GridRows, ReadWhatIsWritten) {
  const TextGrid grid{"ab", "cd"};
  EXPECT_EQ(parse_text_grid("\n ab \r\n\n cd"), grid);
  EXPECT_EQ(to_text_grid(to_cell_grid(grid)), grid);
  EXPECT_TRUE(check_text_grid("grid", grid, {2, 2}, "abcd"));
  EXPECT_FALSE(check_text_grid("grid", grid, {2, 2}, "abc"));
  EXPECT_FALSE(check_text_grid("grid", grid, {2, 3}, "abcd"));
  EXPECT_FALSE(check_cell_grid("grid", {{"a", "bc"}, {"", "d"}}, {2, 2}, "abcd"));
  EXPECT_TRUE(check_matrix<int>("A", {{1, 2}}, {1, 2}, 1, 2));
  EXPECT_FALSE(check_matrix<int>("A", {{1, 3}}, {1, 2}, 1, 2));
  EXPECT_EQ(format_digits<int>({{1, 0}, {0, 9}}), "10\n09");
}

// Relaxes until nothing changes.
std::vector<int> relaxed_distances(const GridShape& shape, const std::set<int>& sources,
                                   const std::vector<bool>& is_free) {
  constexpr int kFar = 1 << 20;
  std::vector<int> distance(is_free.size(), kFar);
  for (const int place : sources) distance[place] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (int a = 0; a < shape.cells(); ++a) {
      for (int b = 0; b < shape.cells(); ++b) {
        const int apart =
            std::abs(shape.row(a) - shape.row(b)) + std::abs(shape.column(a) - shape.column(b));
        if (apart == 1 && is_free[a] && is_free[b] && distance[a] + 1 < distance[b]) {
          distance[b] = distance[a] + 1;
          changed = true;
        }
      }
    }
  }
  for (int& d : distance) d = d == kFar ? -1 : d;
  return distance;
}

TEST(GridSearch, AgreesWithRelaxation) {
  Rng rng({.purpose = hash_name("grid search")});
  for (int round = 0; round < 200; ++round) {
    const GridShape shape{static_cast<int>(rng.integer(1, 6)), static_cast<int>(rng.integer(1, 6))};
    std::vector<bool> is_free(static_cast<std::size_t>(shape.cells()));
    for (std::size_t i = 0; i < is_free.size(); ++i) is_free[i] = rng.chance(0.6);
    std::set<int> sources;
    for (int place = 0; place < shape.cells(); ++place) {
      if (is_free[place] && rng.chance(0.2)) sources.insert(place);
    }
    const auto free_at = [&](int place) { return static_cast<bool>(is_free[place]); };
    EXPECT_EQ(grid_distances(shape, {sources.begin(), sources.end()}, free_at),
              relaxed_distances(shape, sources, is_free));
    const GridParts parts = grid_parts(shape, free_at);
    std::map<int, int> sizes;
    for (int place = 0; place < shape.cells(); ++place) {
      EXPECT_EQ(parts.part_of[place] >= 0, is_free[place]);
      if (!is_free[place]) continue;
      ++sizes[parts.part_of[place]];
      const std::vector<int> reached = relaxed_distances(shape, {place}, is_free);
      for (int other = 0; other < shape.cells(); ++other) {
        EXPECT_EQ(is_free[other] && parts.part_of[place] == parts.part_of[other],
                  reached[other] >= 0);
      }
    }
    ASSERT_EQ(sizes.size(), parts.sizes.size());
    for (const auto& [part, size] : sizes) EXPECT_EQ(parts.sizes[part], size);
  }
}

TEST(MatrixSums, AgreeWithAdding) {
  Rng rng({.purpose = hash_name("matrix sums")});
  const auto matrix = draw_matrix({4, 6}, -9, 9, rng);
  const MatrixSums sums(matrix);
  for (std::size_t top = 0; top <= 4; ++top) {
    for (std::size_t bottom = top; bottom <= 4; ++bottom) {
      for (std::size_t left = 0; left <= 6; ++left) {
        for (std::size_t right = left; right <= 6; ++right) {
          std::int64_t expected = 0;
          for (std::size_t row = top; row < bottom; ++row) {
            for (std::size_t column = left; column < right; ++column) {
              expected += matrix[row][column];
            }
          }
          EXPECT_EQ(sums.sum(top, left, bottom, right), expected);
        }
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
