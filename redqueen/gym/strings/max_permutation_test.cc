#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All orders: an order is solved if and only if no other makes a greater number.
TEST(MaxPermutation, SolvesTheGreatestOfAllOrders) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const auto problem = make_problem("MaxPermutation", static_cast<int>(seed % 4), seed);
    const auto array = problem->parameter()["array"].get<std::vector<std::string>>();
    std::vector<std::pair<BigInt, std::string>> made;  // number, order
    std::vector<std::int64_t> order(array.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
    do {
      std::string number;
      for (const std::int64_t i : order) number += array[i];
      made.emplace_back(BigInt(number), format_answer(order));
    } while (std::ranges::next_permutation(order).found);
    const BigInt greatest = std::ranges::max_element(made)->first;
    for (const auto& [number, text] : made) {
      const Verdict verdict = problem->score(text);
      EXPECT_EQ(verdict.solved, number == greatest) << text << '\n' << problem->prompt();
      EXPECT_NEAR(verdict.reward, std::pow(ratio(number, greatest), 5.0), 1e-12);
    }
  }
}

TEST(MaxPermutation, RefusesWhatIsNoOrder) {
  const auto problem =
      restore_problem("MaxPermutation", R"({"N": 3, "array": ["12", "1", "121"]})");
  EXPECT_EQ(problem->score("0 2 1").reward, 1.0);
  EXPECT_EQ(problem->score("0 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 2 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 2 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0, 2, 1").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
