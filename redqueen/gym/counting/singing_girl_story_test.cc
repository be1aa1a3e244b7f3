#include <algorithm>
#include <array>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Conditions = std::vector<std::array<int, 3>>;

// Writes every array down.
std::int64_t arrays(int n, int a, const Conditions& conditions) {
  std::vector<int> array(static_cast<std::size_t>(n), 1);
  std::int64_t count = 0;
  while (true) {
    count += std::ranges::all_of(conditions, [&](const auto& condition) {
      const auto& [l, r, v] = condition;
      return *std::max_element(array.begin() + l - 1, array.begin() + r) == v;
    });
    int place = 0;
    while (place < n && ++array[place] > a) array[place++] = 1;
    if (place == n) return count;
  }
}

TEST(SingingGirlStory, AgreesWithAllArrays) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("SingingGirlStory", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(arrays(parameter["N"].get<int>(), parameter["A"].get<int>(),
                                   parameter["conditions"].get<Conditions>())));
  }
}

// Conditions that nothing was planted for; most of them contradict each other.
TEST(SingingGirlStory, AgreesWithAllArraysOnAnyConditions) {
  Rng rng({.seed = 1});
  int possible = 0;
  for (int round = 0; round < 300; ++round) {
    Conditions conditions;
    for (std::int64_t left = rng.integer(1, 5); left > 0; --left) {
      const int l = static_cast<int>(rng.integer(1, 6));
      const int r = static_cast<int>(rng.integer(l, 6));
      conditions.push_back({l, r, static_cast<int>(rng.integer(1, 3))});
    }
    const std::int64_t right = arrays(6, 3, conditions);
    possible += right > 0;
    EXPECT_NE(restore_problem("SingingGirlStory", dump_json(Json{{"MAX_N_M", 6},
                                                                 {"N", 6},
                                                                 {"A", 3},
                                                                 {"conditions", conditions},
                                                                 {"MOD", 998'244'353},
                                                                 {"reference_answer", right}})),
              nullptr);
  }
  EXPECT_GT(possible, 50);
}

}  // namespace
}  // namespace redqueen
