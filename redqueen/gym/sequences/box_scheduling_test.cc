#include <algorithm>
#include <optional>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Tries every assignment of places; each has one least (Y, X), place by place.
List best_of_all(std::int64_t n, std::int64_t d, std::int64_t s, const List& c) {
  List places;
  for (std::int64_t place = 0; place < n; ++place) {
    if (place != s) places.push_back(place);
  }
  std::optional<std::pair<List, List>> least;
  List best;
  do {
    std::pair<List, List> steps;
    for (std::size_t i = 0; i < c.size(); ++i) {
      [&] {
        for (std::int64_t y = 0;; ++y) {
          for (std::int64_t x = 0; x < n; ++x) {
            if ((c[i] + d * x + y) % n != places[i]) continue;
            steps.first.push_back(y);
            steps.second.push_back(x);
            return;
          }
        }
      }();
    }
    if (!least || steps < *least) {
      least = steps;
      best = places;
    }
  } while (std::ranges::next_permutation(places).found);
  return best;
}

TEST(BoxScheduling, AgreesWithAllAssignments) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("BoxScheduling", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(best_of_all(
                  parameter["N"].get<std::int64_t>(), parameter["D"].get<std::int64_t>(),
                  parameter["S"].get<std::int64_t>(), parameter["C"].get<List>())))
        << problem->prompt();
  }
}

TEST(BoxScheduling, AgreesForEveryStepAndTakenPlace) {
  Rng rng({.purpose = hash_name("boxes")});
  for (int d = 0; d < 6; ++d) {
    for (int s = 0; s < 6; ++s) {
      List c(5);
      for (std::int64_t& start : c) start = rng.integer(0, 5);
      const Json parameter{
          {"N", 6}, {"D", d}, {"S", s}, {"C", c}, {"gold_answer", best_of_all(6, d, s, c)}};
      EXPECT_TRUE(Registry::native().find("BoxScheduling")->restore(parameter)) << parameter;
    }
  }
}

TEST(BoxScheduling, WantsEveryFreePlace) {
  const auto problem = restore_problem(
      "BoxScheduling",
      R"({"MAX_N": 4, "N": 4, "D": 2, "S": 1, "C": [1, 1, 1], "gold_answer": [3, 2, 0]})");
  EXPECT_TRUE(problem->score("3 2 0").solved);
  EXPECT_EQ(problem->score("3 2 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("3 2 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("3 2").reward, kInvalidReward);
  EXPECT_DOUBLE_EQ(problem->score("3 0 2").reward, std::pow(1.0 / 3.0, 10));
}

}  // namespace
}  // namespace redqueen
