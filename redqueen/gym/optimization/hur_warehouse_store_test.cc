#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

bool can_serve(const Numbers& a, const Numbers& b, std::uint32_t days) {
  std::int64_t stock = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    stock += a[i];
    if ((days >> i & 1) == 0) continue;
    if (stock < b[i]) return false;
    stock -= b[i];
  }
  return true;
}

TEST(HURWarehouseStore, AgreesWithAllSetsOfDays) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("HURWarehouseStore", static_cast<int>(seed % 10), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<Numbers>();
    const auto b = parameter["B"].get<Numbers>();
    int most = 0;
    for (std::uint32_t days = 0; days < std::uint32_t{1} << a.size(); ++days) {
      if (can_serve(a, b, days)) most = std::max(most, std::popcount(days));
    }
    EXPECT_EQ(parameter["gold_answer"].get<int>(), most);
    const auto answer = *parse_int_list(problem->reference());
    std::uint32_t chosen = 0;
    for (const auto day : answer) chosen |= 1U << (day - 1);
    EXPECT_TRUE(can_serve(a, b, chosen));
    EXPECT_EQ(std::popcount(chosen), most);
  }
}

TEST(HURWarehouseStore, PaysByNumberAndWatchesTheStock) {
  const auto problem = restore_problem(
      "HURWarehouseStore", R"({"N": 4, "A": [4, 0, 0, 1], "B": [4, 2, 2, 1], "gold_answer": 3,
                               "reference_answer": "2 3 4"})");
  EXPECT_EQ(problem->score("4 3 2").reward, 1.0);
  EXPECT_NEAR(problem->score("1 4").reward, std::pow(2.0 / 3, 5), 1e-12);
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 5").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
