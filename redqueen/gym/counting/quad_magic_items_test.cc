#include <algorithm>
#include <array>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

// Tries all quadruples of places.
std::vector<Numbers> all_roles(const Numbers& x) {
  const std::size_t n = x.size();
  std::vector<Numbers> roles(n, Numbers(4));
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t d = 0; d < n; ++d) {
          if (x[a] >= x[b] || x[b] >= x[c] || x[c] >= x[d]) continue;
          if (x[b] - x[a] != 2 * (x[d] - x[c]) || 3 * (x[b] - x[a]) >= x[c] - x[b]) continue;
          ++roles[a][0];
          ++roles[b][1];
          ++roles[c][2];
          ++roles[d][3];
        }
      }
    }
  }
  return roles;
}

TEST(QuadMagicItems, AgreesWithAllQuadruples) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("QuadMagicItems", static_cast<int>(seed % 8), seed);
    const auto x = problem->parameter()["X"].get<Numbers>();
    EXPECT_EQ(problem->reference(), format_answer(all_roles(x)));
  }
}

TEST(QuadMagicItems, AgreesWithAllQuadruplesOfEqualNumbers) {
  constexpr std::array kNumbers{1, 3, 5, 11, 12, 20, 21, 22};
  Rng rng({.seed = 1});
  for (int round = 0; round < 20; ++round) {
    Numbers x;
    for (int i = 0; i < 20; ++i) x.push_back(rng.choice(kNumbers));
    const auto problem = restore_problem("QuadMagicItems", dump_json(Json{{"N", 20}, {"X", x}}));
    EXPECT_EQ(problem->reference(), format_answer(all_roles(x)));
  }
}

TEST(QuadMagicItems, HasAFormationInEveryProblem) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("QuadMagicItems", static_cast<int>(seed % 4), seed);
    EXPECT_NE(problem->reference().find_first_of("123456789"), std::string::npos);
  }
}

TEST(QuadMagicItems, PaysByRightLines) {
  const auto problem = restore_problem("QuadMagicItems", R"({"N": 5, "X": [1, 3, 10, 11, 2]})");
  EXPECT_EQ(problem->reference(), "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n0 0 0 0");
  EXPECT_NEAR(problem->score("1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n0 0 0 1").reward,
              std::pow(0.8, 10), 1e-12);
  EXPECT_EQ(problem->score("1 0 0 0").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
