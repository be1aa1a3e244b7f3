#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

BigInt combination(const std::vector<std::int64_t>& a, const std::vector<BigInt>& x) {
  BigInt sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * x[i];
  return sum;
}

// The least positive sum over all small factors; few problems need larger ones.
std::int64_t least_sum_by_search(const std::vector<std::int64_t>& a, std::size_t from,
                                 std::int64_t sum) {
  if (from == a.size()) return sum > 0 ? sum : std::numeric_limits<std::int64_t>::max();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t x = -12; x <= 12; ++x) {
    least = std::min(least, least_sum_by_search(a, from + 1, sum + a[from] * x));
  }
  return least;
}

TEST(BezoutIdentity, NoSearchFindsLess) {
  int attained = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("BezoutIdentity", static_cast<int>(seed % 2), seed);
    const auto a = problem->parameter()["A"].get<std::vector<std::int64_t>>();
    const BigInt ours = combination(a, *parse_integer_list(problem->reference()));
    const std::int64_t found = least_sum_by_search(a, 0, 0);
    EXPECT_LE(ours, found);
    EXPECT_EQ(found % ours, 0);
    attained += ours == found;
  }
  EXPECT_GT(attained, 40);
}

TEST(BezoutIdentity, KeepsItsFactorsSmall) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto problem = make_problem("BezoutIdentity", static_cast<int>(seed % 31), seed);
    const auto a = problem->parameter()["A"].get<std::vector<std::int64_t>>();
    const auto bound = problem->parameter()["MAX_A"].get<std::int64_t>();
    std::int64_t gcd = 0;
    for (const std::int64_t number : a) gcd = std::gcd(gcd, number);
    const auto x = *parse_integer_list(problem->reference());
    EXPECT_EQ(combination(a, x), gcd);
    for (const BigInt& factor : x) {
      EXPECT_LE(abs(factor), BigInt(bound) * static_cast<int>(a.size()));
    }
  }
}

TEST(BezoutIdentity, NeedsSeveralNumbers) {
  for (int level = 0; level <= 20; ++level) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto problem = make_problem("BezoutIdentity", level, seed);
      for (const NamedAnswer& shortcut : problem->shortcuts()) {
        if (level == 0 && shortcut.rule == "the first two numbers alone") continue;
        EXPECT_FALSE(problem->score(shortcut.answer).solved) << shortcut.rule;
      }
    }
  }
}

TEST(BezoutIdentity, ScoresHugeFactorsExactly) {
  const auto problem = restore_problem("BezoutIdentity", R"({"N": 2, "MAX_A": 32, "A": [6, -4]})");
  const std::string nines(4000, '9');
  EXPECT_EQ(problem->score("1 1").reward, 1.0);
  EXPECT_EQ(problem->score("2 3").reward, kInvalidReward);  // the sum is 0
  EXPECT_NEAR(problem->score("1 0").reward, std::pow(1.0 / 3.0, 5), 1e-12);
  EXPECT_EQ(problem->score(nines + " " + nines).reward, 0.0);
  EXPECT_EQ(problem->score("1 1 1").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
