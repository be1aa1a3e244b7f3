#include <algorithm>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

std::int64_t earned(const Json& customers, const Numbers& prices) {
  std::int64_t sum = 0;
  for (const Json& customer : customers) {
    std::int64_t lowest = 1'000'000;
    for (auto i = customer[0].get<std::size_t>(); i <= customer[1].get<std::size_t>(); ++i) {
      lowest = std::min(lowest, prices[i - 1]);
    }
    if (lowest <= customer[2].get<std::int64_t>()) sum += lowest;
  }
  return sum;
}

// Tries all prices up to the greatest limit.
std::int64_t most(const Json& customers, std::size_t n) {
  std::int64_t greatest = 0;
  for (const Json& customer : customers) {
    greatest = std::max(greatest, customer[2].get<std::int64_t>());
  }
  Numbers prices(n, 1);
  std::int64_t best = 0;
  while (true) {
    best = std::max(best, earned(customers, prices));
    std::size_t i = 0;
    while (i < n && prices[i] == greatest) prices[i++] = 1;
    if (i == n) return best;
    ++prices[i];
  }
}

TEST(MYJ, AgreesWithAllPrices) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("MYJ", static_cast<int>(seed % 2), seed);
    const Json parameter = problem->parameter();
    const std::int64_t best = most(parameter["customers"], parameter["N"].get<std::size_t>());
    EXPECT_EQ(parameter["gold_answer"].get<std::int64_t>(), best);
    EXPECT_EQ(earned(parameter["customers"], *parse_int_list(problem->reference())), best);
  }
}

// A price that is no limit is never better.
TEST(MYJ, AgreesWithAllLimitsAsPrices) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = make_problem("MYJ", 2 + static_cast<int>(seed % 2), seed);
    const Json parameter = problem->parameter();
    const Json& customers = parameter["customers"];
    std::set<std::int64_t> limits;
    for (const Json& customer : customers) limits.insert(customer[2].get<std::int64_t>());
    const Numbers list(limits.begin(), limits.end());
    const auto n = parameter["N"].get<std::size_t>();
    if (std::pow(static_cast<double>(list.size()), static_cast<double>(n)) > 3e5) continue;
    std::vector<std::size_t> choice(n);
    Numbers prices(n, list[0]);
    std::int64_t best = 0;
    while (true) {
      best = std::max(best, earned(customers, prices));
      std::size_t i = 0;
      while (i < n && choice[i] + 1 == list.size()) {
        choice[i] = 0;
        prices[i++] = list[0];
      }
      if (i == n) break;
      prices[i] = list[++choice[i]];
    }
    EXPECT_EQ(parameter["gold_answer"].get<std::int64_t>(), best);
  }
}

TEST(MYJ, PaysByAmount) {
  const auto problem = restore_problem(
      "MYJ", R"({"N": 3, "M": 3, "customers": [[2, 3, 3], [1, 1, 2], [3, 3, 1]], "gold_answer": 5,
                 "reference_answer": "2 3 3"})");
  EXPECT_EQ(problem->score("2 3 9").reward, 1.0);
  EXPECT_NEAR(problem->score("3 3 3").reward, std::pow(0.6, 5), 1e-12);
  EXPECT_EQ(problem->score("0 0 0").reward, 0.0);
  EXPECT_EQ(problem->score("2 -4 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
