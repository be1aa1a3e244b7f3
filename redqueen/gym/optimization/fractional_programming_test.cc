#include <bit>
#include <cmath>

#include "redqueen/gym/common/number/rational.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

Rational quotient(const Numbers& a, const Numbers& b, std::uint32_t chosen) {
  std::int64_t above = 0;
  std::int64_t below = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    above += (chosen >> i & 1) * a[i];
    below += (chosen >> i & 1) * b[i];
  }
  return Rational(above, below);
}

TEST(FractionalProgramming, AgreesWithAllChoices) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const auto problem = make_problem("FractionalProgramming", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<Numbers>();
    const auto b = parameter["B"].get<Numbers>();
    Rational best = 0;
    for (std::uint32_t set = 1; set < std::uint32_t{1} << a.size(); ++set) {
      if (std::popcount(set) != parameter["K"].get<int>()) continue;
      best = std::max(best, quotient(a, b, set));
    }
    const auto answer = *parse_int_list(problem->reference());
    std::uint32_t chosen = 0;
    for (const auto index : answer) chosen |= 1U << index;
    EXPECT_EQ(std::popcount(chosen), parameter["K"].get<int>());
    EXPECT_EQ(quotient(a, b, chosen), best);
    EXPECT_EQ(Rational(parameter["gold_SumA"].get<std::int64_t>(),
                       parameter["gold_SumB"].get<std::int64_t>()),
              best);
  }
}

TEST(FractionalProgramming, PaysByQuotient) {
  const auto problem = restore_problem("FractionalProgramming",
                                       R"({"N": 4, "K": 2, "A": [1, 5, 3, 6], "B": [3, 3, 3, 4],
                                   "reference_answer": "1 3", "gold_SumA": 11, "gold_SumB": 7})");
  EXPECT_EQ(problem->score("3 1").reward, 1.0);
  EXPECT_NEAR(problem->score("1 2").reward, std::pow(8.0 * 7 / (6 * 11), 5), 1e-12);
  EXPECT_EQ(problem->score("1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 4").reward, kInvalidReward);
}

TEST(FractionalProgramming, RefusesAWorseReference) {
  const Environment& environment = *Registry::native().find("FractionalProgramming");
  for (const char* reference : {R"("reference_answer": "1 2", "gold_SumA": 8, "gold_SumB": 6)",
                                R"("reference_answer": "1 3", "gold_SumA": 22, "gold_SumB": 14)"}) {
    const auto parameter = parse_json(
        fmt::format(R"({{"N": 4, "K": 2, "A": [1, 5, 3, 6], "B": [3, 3, 3, 4], {}}})", reference));
    EXPECT_FALSE(environment.restore(*parameter).has_value()) << reference;
  }
}

}  // namespace
}  // namespace redqueen
