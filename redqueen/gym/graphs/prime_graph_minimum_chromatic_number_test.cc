#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

bool is_prime_number(std::size_t d) {
  for (std::size_t i = 2; i < d; ++i) {
    if (d % i == 0) return false;
  }
  return d >= 2;
}

bool colourable(std::size_t n, std::int64_t k, List& colours) {
  if (colours.size() == n) return true;
  for (std::int64_t c = 0; c < k; ++c) {
    bool fits = true;
    for (std::size_t i = 0; i < colours.size(); ++i) {
      fits &= colours[i] != c || !is_prime_number(colours.size() - i);
    }
    if (!fits) continue;
    colours.push_back(c);
    const bool found = colourable(n, k, colours);
    colours.pop_back();
    if (found) return true;
  }
  return false;
}

TEST(PrimeGraph_MinimumChromaticNumber, AgreesWithASearchOfAllColourings) {
  for (std::size_t n = 3; n <= 24; ++n) {
    const auto problem =
        restore_problem("PrimeGraph_MinimumChromaticNumber", fmt::format(R"({{"N": {}}})", n));
    std::int64_t k = 1;
    List colours;
    while (!colourable(n, k, colours)) ++k;
    List all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::int64_t>(i);
    EXPECT_NEAR(problem->score(format_answer(all)).reward,
                std::pow(static_cast<double>(k) / static_cast<double>(n), 5), 1e-12);
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(PrimeGraph_MinimumChromaticNumber, RefusesAPrimeDifferenceWithinAColour) {
  const auto problem = restore_problem("PrimeGraph_MinimumChromaticNumber", R"({"N": 5})");
  EXPECT_TRUE(problem->score("-7 -7 1 1 2").solved);
  EXPECT_EQ(problem->score("0 1 1 2 0").reward, 1.0) << "4 is no prime";
  EXPECT_EQ(problem->score("0 1 0 1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 0 1 1").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
