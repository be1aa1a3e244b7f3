#include <algorithm>
#include <array>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Conditions = std::vector<std::array<int, 5>>;

// Writes every matrix down.
std::int64_t matrices(int h, int w, int m, const Conditions& conditions) {
  std::vector<int> matrix(static_cast<std::size_t>(h) * static_cast<std::size_t>(w), 1);
  std::int64_t count = 0;
  while (true) {
    count += std::ranges::all_of(conditions, [&](const auto& condition) {
      const auto& [x1, y1, x2, y2, v] = condition;
      int largest = 0;
      for (int x = x1; x <= x2; ++x) {
        for (int y = y1; y <= y2; ++y) largest = std::max(largest, matrix[(x - 1) * w + y - 1]);
      }
      return largest == v;
    });
    std::size_t place = 0;
    while (place < matrix.size() && ++matrix[place] > m) matrix[place++] = 1;
    if (place == matrix.size()) return count;
  }
}

// Half of the conditions are those of some matrix.
TEST(MatrixRMQCounting, AgreesWithAllMatrices) {
  Rng rng({.seed = 1});
  int possible = 0;
  for (int round = 0; round < 300; ++round) {
    const int h = static_cast<int>(rng.integer(1, 3));
    const int w = static_cast<int>(rng.integer(1, h == 3 ? 2 : 4));
    const int m = static_cast<int>(rng.integer(1, 3));
    std::vector<int> planted;
    for (int i = 0; i < h * w; ++i) planted.push_back(static_cast<int>(rng.integer(1, m)));
    Conditions conditions;
    for (std::int64_t left = rng.integer(1, 5); left > 0; --left) {
      const int x1 = static_cast<int>(rng.integer(1, h));
      const int x2 = static_cast<int>(rng.integer(x1, h));
      const int y1 = static_cast<int>(rng.integer(1, w));
      const int y2 = static_cast<int>(rng.integer(y1, w));
      int v = static_cast<int>(rng.integer(1, m));
      if (round % 4 != 0) {
        v = 0;
        for (int x = x1; x <= x2; ++x) {
          for (int y = y1; y <= y2; ++y) v = std::max(v, planted[(x - 1) * w + y - 1]);
        }
      }
      conditions.push_back({x1, y1, x2, y2, v});
    }
    const std::int64_t right = matrices(h, w, m, conditions);
    possible += right > 0;
    for (const int modulus : {1, 12, 1'000'000}) {
      EXPECT_NE(restore_problem("MatrixRMQCounting",
                                dump_json(Json{{"N", conditions.size()},
                                               {"H", h},
                                               {"W", w},
                                               {"M", m},
                                               {"constraints", conditions},
                                               {"MOD", modulus},
                                               {"reference_answer", right % modulus}})),
                nullptr);
    }
  }
  EXPECT_GT(possible, 200);
}

// Every matrix of the right largest entry but those that miss it, over the whole matrix.
TEST(MatrixRMQCounting, ReducesLargeCounts) {
  BigInt with = 1;
  BigInt without = 1;
  for (int i = 0; i < 20 * 30; ++i) {
    with *= 50;
    without *= 49;
  }
  const BigInt right = (with - without) % 999'983;
  EXPECT_NE(restore_problem("MatrixRMQCounting", fmt::format(R"({{"N": 1, "H": 20, "W": 30, "M": 99,
                                "constraints": [[1, 1, 20, 30, 50]], "MOD": 999983,
                                "reference_answer": {}}})",
                                                             right.str())),
            nullptr);
}

}  // namespace
}  // namespace redqueen
