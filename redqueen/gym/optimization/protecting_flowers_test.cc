#include <algorithm>
#include <limits>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Tries every order; each pair of jobs costs the time of the earlier times the damage of the later.
std::int64_t least_damage(const List& t, const List& d) {
  std::vector<std::size_t> order(t.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  do {
    std::int64_t damage = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) damage += t[order[i]] * d[order[j]];
    }
    least = std::min(least, damage);
  } while (std::ranges::next_permutation(order).found);
  return least;
}

TEST(ProtectingFlowers, AgreesWithAllOrders) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("ProtectingFlowers", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["gold_answer"],
              least_damage(parameter["T"].get<List>(), parameter["D"].get<List>()))
        << problem->prompt();
  }
}

TEST(ProtectingFlowers, PaysByTheDamage) {
  const auto problem = restore_problem(
      "ProtectingFlowers", R"({"N": 3, "T": [2, 1, 3], "D": [1, 4, 1], "gold_answer": 4})");
  EXPECT_TRUE(problem->score("2 1 3").solved);
  EXPECT_DOUBLE_EQ(problem->score("2 3 1").reward, std::pow(4.0 / 5.0, 5));
  EXPECT_DOUBLE_EQ(problem->score("1 2 3").reward, std::pow(4.0 / 11.0, 5));
  for (const char* answer : {"", "1 2", "0 1 2", "1 2 2", "1 2 4", "1 2 3 1"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
