#include <algorithm>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Tries every set of warehouses.
std::int64_t least_cost(const List& d, const List& p, const List& c) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t set = 0; set < std::uint32_t{1} << d.size(); ++set) {
    std::int64_t cost = 0;
    bool sound = true;
    for (std::size_t i = 0; i < d.size() && sound; ++i) {
      if ((set >> i & 1) != 0) cost += c[i];
      std::size_t next = i;
      while (next < d.size() && (set >> next & 1) == 0) ++next;
      if (next < d.size()) {
        cost += p[i] * (d[next] - d[i]);
      } else {
        sound = p[i] == 0;
      }
    }
    if (sound) least = std::min(least, cost);
  }
  return least;
}

TEST(WarehouseConstruction, AgreesWithAllSets) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("WarehouseConstruction", static_cast<int>(seed % 7), seed);
    const Json p = problem->parameter();
    EXPECT_EQ(p["gold_answer"],
              least_cost(p["D"].get<List>(), p["P"].get<List>(), p["C"].get<List>()))
        << problem->prompt();
  }
}

// Factories without products at the lower end, where a warehouse may be cheap.
TEST(WarehouseConstruction, BuildsBelowTheLastProducts) {
  const Environment& environment = *Registry::native().find("WarehouseConstruction");
  Rng rng({.purpose = hash_name("warehouses")});
  for (int round = 0; round < 100; ++round) {
    const int n = 6;
    List d = rng.sample(0, 12, n);
    std::ranges::sort(d);
    List p(n, 0);
    for (std::int64_t i = rng.integer(0, n); i > 0; --i) p[i - 1] = rng.integer(0, 3);
    List c(n);
    for (std::int64_t& cost : c) cost = rng.integer(1, 20);
    const auto problem = environment.restore(
        {{"N", n}, {"D", d}, {"P", p}, {"C", c}, {"gold_answer", least_cost(d, p, c)}});
    ASSERT_TRUE(problem.has_value());
    EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
  }
}

TEST(WarehouseConstruction, PaysByTheCost) {
  const auto problem = restore_problem(
      "WarehouseConstruction",
      R"({"N": 4, "D": [0, 1, 4, 7], "P": [4, 4, 0, 3], "C": [5, 5, 4, 1], "gold_answer": 10})");
  EXPECT_TRUE(problem->score("3 1").solved);
  EXPECT_DOUBLE_EQ(problem->score("1 3 3").reward, std::pow(10.0 / 11.0, 5));
  EXPECT_DOUBLE_EQ(problem->score("0 1 3").reward, std::pow(10.0 / 11.0, 5));
  for (const char* answer : {"", "0 1", "4", "-1 3"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
