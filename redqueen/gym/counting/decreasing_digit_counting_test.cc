#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

bool has_ascending_digits(std::uint64_t number, int k) {
  const std::uint64_t base = std::uint64_t{1} << k;
  if (number < base) return false;
  for (; number >= base; number /= base) {
    if (number / base % base >= number % base) return false;
  }
  return true;
}

TEST(DecreasingDigitCounting, AgreesWithAllNumbers) {
  for (int k = 2; k <= 6; ++k) {
    int count = 0;
    std::uint64_t next = 1;
    for (int bits = 1; bits <= std::min(22, k << k); ++bits) {
      for (; next >> bits == 0; ++next) count += has_ascending_digits(next, k);
      EXPECT_NE(
          restore_problem("DecreasingDigitCounting", dump_json(Json{{"MAX_K", k},
                                                                    {"MAX_W", k << k},
                                                                    {"K", k},
                                                                    {"W", bits},
                                                                    {"reference_answer", count}})),
          nullptr)
          << k << " " << bits;
    }
  }
}

// Without a limit, every set of two or more digits makes a number.
TEST(DecreasingDigitCounting, CountsAllSetsOfDigits) {
  const BigInt sets = (BigInt(1) << 1023) - 1024;
  EXPECT_NE(restore_problem("DecreasingDigitCounting",
                            dump_json(Json{{"MAX_K", 10},
                                           {"MAX_W", 10240},
                                           {"K", 10},
                                           {"W", 10240},
                                           {"reference_answer", to_json(sets)}})),
            nullptr);
}

}  // namespace
}  // namespace redqueen
