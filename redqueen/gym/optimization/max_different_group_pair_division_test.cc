#include <algorithm>
#include <bit>
#include <cmath>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

// Makes the cuts in order, as stated.
std::int64_t earned(const Numbers& values, const Numbers& cuts) {
  std::vector<Numbers> blocks(1);
  for (std::int64_t i = 0; i < std::ssize(values); ++i) blocks[0].push_back(i);
  const auto sum = [&](auto begin, auto end) {
    std::int64_t total = 0;
    for (; begin != end; ++begin) total += values[*begin];
    return total;
  };
  std::int64_t total = 0;
  for (const std::int64_t cut : cuts) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const auto place = std::ranges::find(blocks[b], cut);
      if (place == blocks[b].end()) continue;
      Numbers right(place + 1, blocks[b].end());
      total += sum(blocks[b].begin(), place + 1) * sum(right.begin(), right.end());
      blocks[b].erase(place + 1, blocks[b].end());
      blocks.push_back(right);
      break;
    }
  }
  return total;
}

TEST(MaxDifferentGroupPairDivision, AgreesWithAllCuts) {
  Rng rng({.purpose = hash_name("division")});
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const auto problem =
        make_problem("MaxDifferentGroupPairDivision", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    const auto values = parameter["A"].get<Numbers>();
    const int k = parameter["K"].get<int>();
    std::int64_t best = 0;
    for (std::uint32_t set = 0; set < std::uint32_t{1} << (values.size() - 1); ++set) {
      if (std::popcount(set) != k) continue;
      Numbers cuts;
      for (std::uint32_t rest = set; rest != 0; rest &= rest - 1) {
        cuts.push_back(std::countr_zero(rest));
      }
      rng.shuffle(cuts);
      best = std::max(best, earned(values, cuts));
    }
    EXPECT_EQ(parameter["gold_answer"].get<std::int64_t>(), best);
    const auto cuts = *parse_int_list(problem->reference());
    EXPECT_EQ(std::ssize(cuts), k);
    EXPECT_EQ(earned(values, cuts), best);
  }
}

TEST(MaxDifferentGroupPairDivision, PaysByAmount) {
  const auto problem = restore_problem(
      "MaxDifferentGroupPairDivision",
      R"({"N": 4, "K": 2, "A": [1, 4, 2, 4], "gold_answer": 38, "reference_answer": "1 2"})");
  EXPECT_EQ(problem->score("2 1").reward, 1.0);
  EXPECT_NEAR(problem->score("0 1").reward, std::pow(34.0 / 38, 5), 1e-12);
  EXPECT_EQ(problem->score("1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
