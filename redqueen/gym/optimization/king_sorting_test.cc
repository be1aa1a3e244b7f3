#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::int64_t greatest_value(const Json& array, const std::vector<std::int64_t>& order) {
  std::int64_t greatest = 0;
  for (std::size_t t = 0; t < order.size(); ++t) {
    auto product = array[0]["A"].get<std::int64_t>();
    for (std::size_t s = 0; s < t; ++s) product *= array[order[s]]["A"].get<std::int64_t>();
    greatest = std::max(greatest, product / array[order[t]]["B"].get<std::int64_t>());
  }
  return greatest;
}

TEST(KingSorting, AgreesWithAllOrders) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("KingSorting", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const Json& array = parameter["array"];
    std::vector<std::int64_t> order(array.size() - 1);
    std::iota(order.begin(), order.end(), 1);
    std::int64_t least = std::int64_t{1} << 60;
    do {
      least = std::min(least, greatest_value(array, order));
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(parameter["gold_answer"].get<std::int64_t>(), least);
    EXPECT_EQ(greatest_value(array, *parse_int_list(problem->reference())), least);
  }
}

TEST(KingSorting, PaysByTheGreatestValue) {
  const auto problem = restore_problem(
      "KingSorting",
      R"({"N": 2, "MAX_A_B": 10, "array": [{"index": 0, "A": 7, "B": 1}, {"index": 1, "A": 4, "B": 2},
          {"index": 2, "A": 1, "B": 3}], "gold_answer": 3, "reference_answer": "2 1"})");
  EXPECT_EQ(problem->score("2 1").reward, 1.0);
  EXPECT_NEAR(problem->score("1 2").reward, std::pow(3.0 / 9, 5), 1e-12);
  EXPECT_EQ(problem->score("1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1").reward, kInvalidReward);
}

// 2^199 / 3, or 2^198 if the pair with 3 comes first.
TEST(KingSorting, CalculatesBeyond64Bits) {
  std::string array = R"({"index": 0, "A": 1, "B": 1})";
  std::string order;
  for (int i = 1; i <= 200; ++i) {
    array += fmt::format(R"(, {{"index": {}, "A": 2, "B": {}}})", i, i == 200 ? 3 : 2);
    order += fmt::format("{} ", i);
  }
  const BigInt gold = (BigInt(1) << 199) / 3;
  const auto problem = restore_problem(
      "KingSorting", fmt::format(R"({{"N": 200, "MAX_A_B": 10, "array": [{}], "gold_answer": {},
                                      "reference_answer": "{}"}})",
                                 array, dump_json(to_json(gold)), order));
  EXPECT_EQ(problem->score(order).reward, 1.0);
  EXPECT_NEAR(problem->score("200 " + order.substr(0, order.size() - 4)).reward,
              std::pow(2.0 / 3, 5), 1e-12);
}

}  // namespace
}  // namespace redqueen
