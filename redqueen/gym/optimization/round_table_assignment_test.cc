#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Tries every choice of tables for the groups from `next` on.
bool can_seat(const List& sizes, List& free, std::size_t next) {
  if (next == sizes.size()) return true;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << free.size(); ++set) {
    if (std::popcount(set) != sizes[next]) continue;
    for (std::size_t j = 0; j < free.size(); ++j) free[j] -= set >> j & 1;
    const bool seated = std::ranges::min(free) >= 0 && can_seat(sizes, free, next + 1);
    for (std::size_t j = 0; j < free.size(); ++j) free[j] += set >> j & 1;
    if (seated) return true;
  }
  return false;
}

TEST(RoundTableAssignment, TakesExactlyTheProblemsThatHaveASeating) {
  const Environment& environment = *Registry::native().find("RoundTableAssignment");
  Rng rng({.purpose = hash_name("round tables")});
  int with_seating = 0;
  for (int round = 0; round < 300; ++round) {
    List sizes(rng.integer(1, 4));
    List seats(rng.integer(1, 4));
    for (std::int64_t& size : sizes) size = rng.integer(1, std::ssize(seats));
    for (std::int64_t& count : seats) count = rng.integer(1, 3);
    List free = seats;
    const bool expected = can_seat(sizes, free, 0);
    const auto problem = environment.restore(
        {{"MAX_N_M", 4}, {"M", sizes.size()}, {"R", sizes}, {"N", seats.size()}, {"C", seats}});
    ASSERT_EQ(problem.has_value(), expected);
    if (!problem) continue;
    EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
    ++with_seating;
  }
  EXPECT_GT(with_seating, 50);
  EXPECT_LT(with_seating, 250);
}

TEST(RoundTableAssignment, PaysForTablesThatAreNotTooFull) {
  const auto problem = restore_problem(
      "RoundTableAssignment", R"({"MAX_N_M": 3, "M": 2, "R": [1, 2], "N": 3, "C": [1, 1, 1]})");
  EXPECT_TRUE(problem->score("1\n2 0").solved);
  EXPECT_DOUBLE_EQ(problem->score("1\n2 1").reward, std::pow(2.0 / 3.0, 5));
  for (const char* answer :
       {"", "1", "1\n2", "1\n2 2", "1\n2 3", "1\n-1 0", "1 2\n0", "1\n2 0\n0"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
