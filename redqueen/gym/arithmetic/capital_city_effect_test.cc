#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::int64_t run_sum(const std::string& digits) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < digits.size();) {
    std::size_t end = i;
    while (end < digits.size() && digits[end] == digits[i]) ++end;
    sum += (digits[i] - '0') * static_cast<std::int64_t>((end - i) * (end - i));
    i = end;
  }
  return sum;
}

TEST(CapitalCityEffect, AgreesWithAddingUp) {
  EXPECT_EQ(run_sum("55507"), 52);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("CapitalCityEffect", static_cast<int>(seed % 19), seed);
    const Json parameter = problem->parameter();
    std::int64_t sum = 0;
    for (auto x = parameter["L"].get<std::int64_t>(); x <= parameter["R"].get<std::int64_t>();
         ++x) {
      sum += run_sum(std::to_string(x));
    }
    EXPECT_EQ(problem->reference(), std::to_string(sum)) << problem->prompt();
  }
}

// A short range far up, where the sums before it leave 64 bits.
TEST(CapitalCityEffect, IsExactForLongNumbers) {
  const std::int64_t high = 4'000'000'000'000'000'000;
  const auto problem = restore_problem(
      "CapitalCityEffect", fmt::format(R"({{"MAX_R": 1, "R": {}, "L": {}}})", high, high - 999));
  std::int64_t sum = 0;
  for (std::int64_t x = high - 999; x <= high; ++x) sum += run_sum(std::to_string(x));
  EXPECT_EQ(problem->reference(), std::to_string(sum));
}

}  // namespace
}  // namespace redqueen
