#include "redqueen/gym/common/answer/fraction_answer.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Of all draws of the remaining people, those after which nobody stands.
std::int64_t good_draws(std::vector<char>& taken, int people) {
  if (people == 0) return 1;
  std::int64_t good = 0;
  for (std::size_t drawn = 0; drawn < taken.size(); ++drawn) {
    std::size_t seat = drawn;
    while (seat < taken.size() && taken[seat]) ++seat;
    if (seat == taken.size()) continue;
    taken[seat] = 1;
    good += good_draws(taken, people - 1);
    taken[seat] = 0;
  }
  return good;
}

TEST(Cinema, AgreesWithAllDraws) {
  for (int seats = 1; seats <= 6; ++seats) {
    std::int64_t all = 1;
    for (int people = 1; people <= seats; ++people) {
      all *= seats;
      std::vector<char> taken(static_cast<std::size_t>(seats));
      const auto [numerator, denominator] = reduced_fraction(good_draws(taken, people), all);
      const auto problem = restore_problem(
          "Cinema", fmt::format(R"({{"MAX_N_K": 6, "N": {}, "K": {}}})", people, seats));
      EXPECT_EQ(problem->reference(), numerator.str() + " " + denominator.str());
    }
  }
}

TEST(Cinema, KeepsAnswersReadable) {
  for (const int level : {0, 5, 12, 20}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto problem = make_problem("Cinema", level, seed);
      EXPECT_LE(problem->reference().size(), 37u + 1u + 37u);
    }
  }
}

TEST(Cinema, WantsLowestTerms) {
  const auto problem = restore_problem("Cinema", R"({"MAX_N_K": 4, "N": 2, "K": 2})");
  EXPECT_TRUE(problem->score("3 4").solved);
  EXPECT_EQ(problem->score("6 8").reward, 0.0);
  EXPECT_EQ(problem->score("-3 -4").reward, 0.0);
  EXPECT_FALSE(problem->score("3/4").well_formed);
}

}  // namespace
}  // namespace redqueen
