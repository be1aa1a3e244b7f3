#include <algorithm>
#include <string>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

int longest_ascending(const std::string& digits) {
  std::vector<int> ending(digits.size(), 1);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (digits[j] < digits[i]) ending[i] = std::max(ending[i], ending[j] + 1);
    }
  }
  return *std::ranges::max_element(ending);
}

Json parameter(std::int64_t low, std::int64_t high, int length, std::int64_t answer) {
  return {{"N", std::to_string(high).size()},
          {"R", high},
          {"L", low},
          {"K", length},
          {"reference_answer", answer}};
}

TEST(DigitLISCounting, AgreesWithAllNumbersOfARange) {
  Rng rng({.seed = 1, .purpose = hash_name("ranges"), .step = 0, .index = 0, .salt = 0});
  constexpr std::int64_t kLargest = 300'000;
  std::vector<int> length;
  for (std::int64_t n = 0; n <= kLargest; ++n) {
    length.push_back(longest_ascending(std::to_string(n)));
  }
  for (int i = 0; i < 300; ++i) {
    std::int64_t limit = 9;
    for (std::int64_t digits = rng.integer(0, 5); digits > 0; --digits) limit *= 10;
    const std::int64_t high = rng.integer(0, std::min(limit, kLargest));
    const std::int64_t low = rng.chance(0.2) ? 0 : rng.integer(0, high);
    const int wanted = static_cast<int>(rng.integer(1, 6));
    const auto count = std::count(length.begin() + low, length.begin() + high + 1, wanted);
    EXPECT_NE(restore_problem("DigitLISCounting", dump_json(parameter(low, high, wanted, count))),
              nullptr)
        << low << " " << high << " " << wanted;
  }
}

// Numbers without an ascent: of up to d digits, C(d + 9, 9) + … of each length, less the zeros.
TEST(DigitLISCounting, KnowsHowManyNumbersNeverAscend) {
  for (const int digits : {5, 18, 19, 37, 38, 60}) {
    // Choose how often each of 0 … 9 occurs among exactly d digits, but not only zeros.
    BigInt count = 0;
    BigInt choices = 1;  // C(d + 9, 9)
    for (int d = 1; d <= digits; ++d) {
      choices = choices * (d + 9) / d;
      count += choices - 1;
    }
    std::string nines(static_cast<std::size_t>(digits), '9');
    EXPECT_NE(
        restore_problem("DigitLISCounting", dump_json(Json{{"N", digits},
                                                           {"R", to_json(BigInt(nines))},
                                                           {"L", 1},
                                                           {"K", 1},
                                                           {"reference_answer", to_json(count)}})),
        nullptr)
        << digits;
  }
}

}  // namespace
}  // namespace redqueen
