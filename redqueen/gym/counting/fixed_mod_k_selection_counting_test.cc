#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Sums of the rows of Pascal's triangle.
TEST(FixedModK_Selection_Counting, AgreesWithBinomialCoefficients) {
  for (const std::int64_t modulus : {1, 2, 1000, 999'999'937}) {
    std::vector<std::int64_t> row{1 % modulus};
    for (std::int64_t n = 1; n <= 48; ++n) {
      row.push_back(0);
      for (std::size_t i = row.size() - 1; i > 0; --i) row[i] = (row[i] + row[i - 1]) % modulus;
      for (std::int64_t k = 1; k <= n; ++k) {
        if (n % k != 0) continue;
        for (std::int64_t r = 0; r < k; ++r) {
          std::int64_t sum = 0;
          for (std::int64_t size = r; size <= n; size += k) sum += row[size];
          EXPECT_NE(restore_problem("FixedModK_Selection_Counting",
                                    dump_json(Json{{"MAX_N", n},
                                                   {"MAX_K", n},
                                                   {"N", n / k},
                                                   {"K", k},
                                                   {"R", r},
                                                   {"MOD", modulus},
                                                   {"reference_answer", sum % modulus}})),
                    nullptr)
              << n << " " << k << " " << r;
        }
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
