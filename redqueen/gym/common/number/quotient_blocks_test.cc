#include "redqueen/gym/common/number/quotient_blocks.h"

#include <gtest/gtest.h>

#include "redqueen/gym/common/number/sieve.h"

namespace redqueen {
namespace {

TEST(QuotientBlocks, VisitsEveryIndexOnceWithItsQuotients) {
  for (std::int64_t n = 0; n <= 30; ++n) {
    for (std::int64_t m = 0; m <= 30; ++m) {
      for (const std::int64_t last : {std::min(n, m), std::max(n, m), n + m}) {
        std::int64_t next = 1;
        std::int64_t previous_n = -1;
        std::int64_t previous_m = -1;
        for_each_quotient_block(
            n, m, last, [&](auto first, auto end, auto n_quotient, auto m_quotient) {
              EXPECT_EQ(first, next);
              EXPECT_FALSE(n_quotient == previous_n && m_quotient == previous_m) << "run cut short";
              for (std::int64_t i = first; i <= end; ++i) {
                EXPECT_EQ(n_quotient, n / i);
                EXPECT_EQ(m_quotient, m / i);
              }
              next = end + 1;
              previous_n = n_quotient;
              previous_m = m_quotient;
            });
        EXPECT_EQ(next, last + 1);
      }
    }
  }
}

TEST(QuotientBlocks, AddsUpDivisorCounts) {
  const auto counts = divisor_counts_up_to(300);
  std::int64_t sum = 0;
  for (int n = 0; n <= 300; ++n) {
    sum += counts[n];
    EXPECT_EQ(divisor_count_sum(n), sum);
  }
}

}  // namespace
}  // namespace redqueen
