#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Wishes = std::vector<std::pair<int, int>>;

// Tries every seating; every student on another seat than his own has to move.
std::int64_t fewest_moves(const Wishes& wishes) {
  const int n = static_cast<int>(wishes.size());
  std::vector<int> seats(wishes.size());
  std::iota(seats.begin(), seats.end(), 0);
  std::int64_t best = n;
  do {
    bool good = true;
    std::int64_t moved = 0;
    for (int i = 0; i < n; ++i) {
      moved += seats[i] != i;
      for (const int wish : {wishes[i].first, wishes[i].second}) {
        const int distance = std::abs(seats[i] - seats[wish]);
        good = good && (distance == 1 || distance == n - 1);
      }
    }
    if (good) best = std::min(best, moved);
  } while (std::next_permutation(seats.begin(), seats.end()));
  return best;
}

TEST(CampfireParty, AgreesWithAllSeatings) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("CampfireParty", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["reference_answer_cost"].get<std::int64_t>(),
              fewest_moves(parameter["desired_neighbors"].get<Wishes>()));
    const auto words = split_words(problem->reference());
    EXPECT_EQ(std::ssize(words), parameter["reference_answer_cost"].get<std::int64_t>());
  }
}

TEST(CampfireParty, MovesGroupsAsStated) {
  // The wanted circle is 0 2 1 3 4.
  const auto problem =
      restore_problem("CampfireParty",
                      R"({"N": 5, "desired_neighbors": [[2, 4], [2, 3], [0, 1], [1, 4], [3, 0]],
          "reference_answer": "1 2", "reference_answer_cost": 2})");
  EXPECT_EQ(problem->score("1 2").reward, 1.0);
  EXPECT_EQ(problem->score("2 1\n").reward, 1.0);
  EXPECT_NEAR(problem->score("1 2\n0").reward, 8.0 / 27, 1e-12) << "a student alone costs 1";
  EXPECT_NEAR(problem->score("2 1 3\n1 3").reward, 8.0 / 125, 1e-12) << "in two operations";
  EXPECT_EQ(problem->score("1 3\n2 1 3").reward, -0.2) << "the order matters";
  EXPECT_EQ(problem->score("").reward, -0.2);
  EXPECT_EQ(problem->score("1 5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1, 2").reward, kMalformedReward);
}

TEST(CampfireParty, RefusesWishesThatFormNoCircle) {
  const Environment& environment = *Registry::native().find("CampfireParty");
  for (const char* wishes : {"[[1, 2], [0, 2], [0, 1], [4, 5], [3, 5], [3, 4]]",
                             "[[1, 1], [0, 2], [1, 3], [2, 4], [3, 5], [4, 0]]",
                             "[[0, 5], [0, 2], [1, 3], [2, 4], [3, 5], [4, 0]]"}) {
    const auto parameter =
        parse_json(fmt::format(R"({{"N": 6, "desired_neighbors": {}, "reference_answer": "",
                         "reference_answer_cost": 0}})",
                               wishes));
    EXPECT_FALSE(environment.restore(*parameter).has_value()) << wishes;
  }
}

}  // namespace
}  // namespace redqueen
