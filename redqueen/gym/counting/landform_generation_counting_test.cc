#include <algorithm>
#include <numeric>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Mountains = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Tries every order of the mountains.
std::int64_t sequences_of_heights(const Mountains& mountains) {
  std::vector<std::size_t> order(mountains.size());
  std::iota(order.begin(), order.end(), 0);
  std::set<std::vector<std::int64_t>> found;
  do {
    std::vector<std::int64_t> heights;
    bool permitted = true;
    for (const std::size_t i : order) {
      const auto [height, limit] = mountains[i];
      permitted = permitted && std::ranges::count_if(heights, [&, h = height](std::int64_t other) {
                                 return other > h;
                               }) < limit;
      heights.push_back(height);
    }
    if (permitted) found.insert(heights);
  } while (std::ranges::next_permutation(order).found);
  return static_cast<std::int64_t>(found.size());
}

TEST(LandformGenerationCounting, AgreesWithAllOrders) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem =
        make_problem("LandformGenerationCounting", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(sequences_of_heights(parameter["A"].get<Mountains>()) %
                            parameter["MOD"].get<std::int64_t>()));
  }
}

// Limits and heights of all kinds, such that no order may be permitted.
TEST(LandformGenerationCounting, AgreesWithAllOrdersOfMountainsFromOutside) {
  Rng rng({.seed = 1});
  for (int round = 0; round < 200; ++round) {
    Mountains mountains;
    for (int i = 0; i < 5; ++i) mountains.emplace_back(rng.integer(-1, 2), rng.integer(-1, 6));
    const auto right = sequences_of_heights(mountains) % 7;
    EXPECT_NE(
        restore_problem(
            "LandformGenerationCounting",
            dump_json(Json{{"N", 5}, {"A", mountains}, {"MOD", 7}, {"reference_answer", right}})),
        nullptr);
  }
}

}  // namespace
}  // namespace redqueen
