#include <algorithm>
#include <numeric>
#include <optional>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

bool keeps(const Json& edges, const Numbers& q) {
  return std::ranges::all_of(edges, [&](const Json& edge) {
    return q[edge[0].get<std::size_t>()] + q[edge[1].get<std::size_t>()] ==
           edge[2].get<std::int64_t>();
  });
}

// Least and greatest sum over all numbers up to the limits.
std::optional<std::pair<std::int64_t, std::int64_t>> sums(const Json& edges,
                                                          const Numbers& limits) {
  std::optional<std::pair<std::int64_t, std::int64_t>> found;
  Numbers q(limits.size());
  while (true) {
    if (keeps(edges, q)) {
      const auto sum = std::accumulate(q.begin(), q.end(), std::int64_t{0});
      if (!found) found = {sum, sum};
      found = {std::min(found->first, sum), std::max(found->second, sum)};
    }
    std::size_t i = 0;
    while (i < q.size() && q[i] == limits[i]) q[i++] = 0;
    if (i == q.size()) return found;
    ++q[i];
  }
}

TEST(BEZMinimalistSecurity, AgreesWithAllNumbers) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("BEZMinimalistSecurity", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const auto limits = parameter["P"].get<Numbers>();
    const auto found = sums(parameter["edges"], limits);
    ASSERT_TRUE(found.has_value());
    const bool least = parameter["minimized_or_maximized"] == "minimized";
    const std::int64_t best = least ? found->first : found->second;
    EXPECT_EQ(parameter["gold_answer"].get<std::int64_t>(), best);
    const auto q = *parse_int_list(problem->reference());
    EXPECT_TRUE(keeps(parameter["edges"], q));
    EXPECT_EQ(std::accumulate(q.begin(), q.end(), std::int64_t{0}), best);
  }
}

// Any demands, most of which cannot be kept.
TEST(BEZMinimalistSecurity, AcceptsJustWhatCanBeKept) {
  Rng rng({.purpose = hash_name("security")});
  int kept = 0;
  for (int round = 0; round < 300; ++round) {
    const int n = static_cast<int>(rng.integer(2, 5));
    Numbers limits;
    for (int i = 0; i < n; ++i) limits.push_back(rng.integer(0, 4));
    Json edges = Json::array();
    for (std::int64_t count = rng.integer(1, n); count > 0; --count) {
      auto ends = rng.sample(0, n - 1, 2);
      std::ranges::sort(ends);
      edges.push_back({ends[0], ends[1], rng.integer(0, limits[ends[0]] + limits[ends[1]])});
    }
    const auto found = sums(edges, limits);
    for (const bool least : {true, false}) {
      const Json parameter{{"N", n},
                           {"edge_ratio", 1.0},
                           {"edges", edges},
                           {"P", limits},
                           {"minimized_or_maximized", least ? "minimized" : "maximized"},
                           {"gold_answer", found ? (least ? found->first : found->second) : 0}};
      const auto restored = Registry::native().find("BEZMinimalistSecurity")->restore(parameter);
      EXPECT_EQ(restored.has_value(), found.has_value()) << parameter.dump();
      if (restored) {
        EXPECT_TRUE((*restored)->score((*restored)->reference()).solved);
      }
    }
    kept += found.has_value();
  }
  EXPECT_GT(kept, 60);
}

TEST(BEZMinimalistSecurity, PaysBySum) {
  const std::string parameter =
      R"({"N": 4, "edge_ratio": 1.0, "edges": [[0, 1, 5], [0, 2, 4], [0, 3, 6]],
          "P": [4, 6, 3, 9], "minimized_or_maximized": "minimized", "gold_answer": 7})";
  const auto problem = restore_problem("BEZMinimalistSecurity", parameter);
  EXPECT_EQ(problem->score("4 1 0 2").reward, 1.0);
  EXPECT_NEAR(problem->score("3 2 1 3").reward, std::pow(7.0 / 9, 5), 1e-12);
  EXPECT_EQ(problem->score("4 1 0 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("5 0 -1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4 1 0").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
