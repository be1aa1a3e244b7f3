#include <algorithm>

#include "redqueen/gym/common/number/prime_field.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

constexpr std::int64_t kPrime = 998244353;

// The probability that first appearances come in an order that keeps the inequalities: every order
// is tried.
std::int64_t chance_of_orders(const Json& inequalities, const std::vector<std::int64_t>& weights) {
  const PrimeField field(kPrime);
  std::vector<int> order;
  for (int i = 0; std::cmp_less(i, weights.size()); ++i) order.push_back(i);
  std::int64_t sum = 0;
  do {
    const auto place = [&](const Json& item) { return std::ranges::find(order, item.get<int>()); };
    const bool keeps = std::ranges::all_of(
        inequalities, [&](const Json& pair) { return place(pair[0]) < place(pair[1]); });
    if (!keeps) continue;
    std::int64_t left = 0;
    for (const std::int64_t weight : weights) left += weight;
    std::int64_t chance = 1;
    for (const int item : order) {
      chance = field.multiply(chance, field.divide(weights[item], left));
      left -= weights[item];
    }
    sum = field.add(sum, chance);
  } while (std::ranges::next_permutation(order).found);
  return sum;
}

std::int64_t chance_over_weights(const Json& parameter, std::vector<std::int64_t>& weights) {
  const PrimeField field(kPrime);
  const std::size_t item = weights.size();
  if (item == parameter["N"].get<std::size_t>()) {
    return chance_of_orders(parameter["T_inequalities"], weights);
  }
  std::int64_t all = 0;
  std::int64_t sum = 0;
  for (std::int64_t weight = 1; weight <= 3; ++weight) {
    const std::string key(1, "ABC"[weight - 1]);
    const auto odds = parameter[key][item].get<std::int64_t>();
    all += odds;
    weights.push_back(weight);
    sum = field.add(sum, field.multiply(odds, chance_over_weights(parameter, weights)));
    weights.pop_back();
  }
  return field.divide(sum, all);
}

TEST(MoneyChargingGame, AgreesWithAllWeightsAndOrders) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("MoneyChargingGame", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    std::vector<std::int64_t> weights;
    EXPECT_EQ(problem->reference(), format_answer(chance_over_weights(parameter, weights)));
  }
}

// Of two items with the same odds each comes first as often.
TEST(MoneyChargingGame, KnowsSymmetry) {
  const auto problem = restore_problem(
      "MoneyChargingGame",
      R"({"N": 2, "A": [1, 2], "B": [1, 2], "C": [2, 4], "T_inequalities": [[1, 0]]})");
  EXPECT_EQ(problem->reference(), format_answer(PrimeField(kPrime).inverse(2)));
}

}  // namespace
}  // namespace redqueen
