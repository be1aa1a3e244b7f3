#include <string>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Looks at every block of digits.
bool is_good(std::int64_t number) {
  const std::string digits = std::to_string(number);
  for (std::size_t begin = 0; begin < digits.size(); ++begin) {
    for (std::size_t length = 2; begin + length <= digits.size(); ++length) {
      const std::string block = digits.substr(begin, length);
      if (block == std::string(block.rbegin(), block.rend())) return true;
    }
  }
  return false;
}

TEST(PalindromicSubstringNumberCounting, AgreesWithALookAtEveryNumber) {
  std::vector<std::int64_t> good_up_to{0};
  for (std::int64_t x = 1; x <= 30'000; ++x) good_up_to.push_back(good_up_to.back() + is_good(x));
  Rng rng({.seed = 1});
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t r = rng.integer(1, round < 1000 ? 1200 : 30'000);
    const std::int64_t l = rng.integer(1, r);
    const auto problem =
        restore_problem("PalindromicSubstringNumberCounting",
                        fmt::format(R"({{"MAX_R": 30000, "R": {}, "L": {}}})", r, l));
    EXPECT_EQ(problem->reference(), format_answer(good_up_to[r] - good_up_to[l - 1]))
        << l << " to " << r;
  }
}

TEST(PalindromicSubstringNumberCounting, CountsNearTheEndOfItsRange) {
  const std::int64_t most = std::int64_t{1} << 62;
  std::int64_t good = 0;
  for (std::int64_t x = most - 999; x <= most; ++x) good += is_good(x);
  const auto problem =
      restore_problem("PalindromicSubstringNumberCounting",
                      fmt::format(R"({{"MAX_R": {}, "R": {}, "L": {}}})", most, most, most - 999));
  EXPECT_EQ(problem->reference(), format_answer(good));
}

}  // namespace
}  // namespace redqueen
