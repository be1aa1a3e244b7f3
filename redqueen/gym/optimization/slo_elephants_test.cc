#include <functional>
#include <map>
#include <queue>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// A cheapest path among all orders.
std::int64_t least_cost(const List& from, const List& to, const List& costs) {
  using Open = std::pair<std::int64_t, List>;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  std::map<List, std::int64_t> least{{from, 0}};
  open.emplace(0, from);
  while (true) {
    const auto [cost, order] = open.top();
    open.pop();
    if (order == to) return cost;
    if (least[order] < cost) continue;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        List other = order;
        std::swap(other[i], other[j]);
        const std::int64_t sum = cost + costs[order[i]] + costs[order[j]];
        const auto [place, is_new] = least.try_emplace(other, sum);
        if (!is_new && place->second <= sum) continue;
        place->second = sum;
        open.emplace(sum, other);
      }
    }
  }
}

TEST(SLOElephants, AgreesWithTheCheapestPath) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("SLOElephants", static_cast<int>(seed % 3), seed);
    const Json p = problem->parameter();
    EXPECT_EQ(p["gold_answer"],
              least_cost(p["A"].get<List>(), p["B"].get<List>(), p["C"].get<List>()))
        << problem->prompt();
  }
}

// Costs far apart, for which the cheapest element comes in for a cycle of four or five.
TEST(SLOElephants, AgreesWhereDetoursAreWorthIt) {
  const Environment& environment = *Registry::native().find("SLOElephants");
  Rng rng({.purpose = hash_name("elephants")});
  for (int round = 0; round < 30; ++round) {
    const List a{0, 1, 2, 3, 4, 5};
    const List b = round % 2 == 0 ? List{1, 2, 3, 4, 0, 5} : List{1, 2, 3, 0, 4, 5};
    List costs;
    for (int i = 0; i < 5; ++i) costs.push_back(rng.integer(5, 30));
    costs.push_back(rng.integer(1, 3));
    const std::int64_t least = least_cost(a, b, costs);
    const auto problem =
        environment.restore({{"N", 6}, {"A", a}, {"B", b}, {"C", costs}, {"gold_answer", least}});
    ASSERT_TRUE(problem.has_value());
    EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
  }
}

TEST(SLOElephants, TellsWhatIsWrong) {
  const auto problem = restore_problem(
      "SLOElephants",
      R"({"N": 3, "A": [1, 2, 0], "B": [0, 2, 1], "C": [3, 2, 2], "gold_answer": 5})");
  EXPECT_TRUE(problem->score("0 1").solved);
  EXPECT_TRUE(problem->score("1 0").solved);
  EXPECT_DOUBLE_EQ(problem->score("1 2\n2 0\n1 2").reward, std::pow(5.0 / 13.0, 5));
  EXPECT_EQ(problem->score("").reward, -0.2);
  EXPECT_EQ(problem->score("0 2").reward, -0.2);
  for (const char* answer : {"0 0", "0 3", "-1 0", "0 1\n2 2"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
