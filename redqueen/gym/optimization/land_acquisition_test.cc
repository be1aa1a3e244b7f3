#include <algorithm>
#include <array>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;
using Groups = std::vector<Numbers>;

std::int64_t cost_of(const Numbers& widths, const Numbers& lengths, const Groups& groups) {
  std::int64_t cost = 0;
  for (const Numbers& group : groups) {
    std::int64_t width = 0;
    std::int64_t length = 0;
    for (const auto item : group) {
      width = std::max(width, widths[item - 1]);
      length = std::max(length, lengths[item - 1]);
    }
    cost += width * length;
  }
  return cost;
}

// Tries all divisions into groups of the pieces from `next` on.
std::int64_t least_cost(const Numbers& widths, const Numbers& lengths, Groups& groups,
                        std::int64_t next) {
  if (next > std::ssize(widths)) return cost_of(widths, lengths, groups);
  std::int64_t best = std::int64_t{1} << 60;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].push_back(next);
    best = std::min(best, least_cost(widths, lengths, groups, next + 1));
    groups[i].pop_back();
  }
  groups.push_back({next});
  best = std::min(best, least_cost(widths, lengths, groups, next + 1));
  groups.pop_back();
  return best;
}

TEST(LandAcquisition, AgreesWithAllDivisions) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto problem = make_problem("LandAcquisition", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto widths = parameter["W"].get<Numbers>();
    const auto lengths = parameter["L"].get<Numbers>();
    Groups groups;
    const std::int64_t least = least_cost(widths, lengths, groups, 1);
    EXPECT_EQ(parameter["gold_answer"].get<std::int64_t>(), least);
    EXPECT_EQ(cost_of(widths, lengths, *parse_int_matrix(problem->reference())), least);
  }
}

TEST(LandAcquisition, SolvesPiecesWithEqualSides) {
  Rng rng({.purpose = hash_name("land")});
  for (int round = 0; round < 100; ++round) {
    Numbers widths;
    Numbers lengths;
    for (int i = 0; i < 6; ++i) {
      widths.push_back(rng.integer(1, 4));
      lengths.push_back(rng.integer(1, 4));
    }
    Groups groups;
    const auto problem = restore_problem(
        "LandAcquisition",
        fmt::format(R"({{"N": 6, "W": {}, "L": {}, "gold_answer": {}}})", Json(widths).dump(),
                    Json(lengths).dump(), least_cost(widths, lengths, groups, 1)));
    EXPECT_EQ(problem->score(problem->reference()).reward, 1.0);
  }
}

TEST(LandAcquisition, PaysByCost) {
  const auto problem = restore_problem(
      "LandAcquisition",
      R"({"N": 4, "W": [100, 15, 20, 1], "L": [1, 15, 5, 100], "gold_answer": 500})");
  EXPECT_EQ(problem->score("1\n2 3\n4").reward, 1.0);
  EXPECT_NEAR(problem->score("1\n2\n3\n4").reward, std::pow(500.0 / 525, 5), 1e-12);
  EXPECT_EQ(problem->score("1\n2 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2\n2 3\n4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0\n2 3\n4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
