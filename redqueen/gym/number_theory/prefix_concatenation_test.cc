#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Horner's rule over the digits as they are written.
std::int64_t remainder_by_digits(std::int64_t n, std::int64_t modulus) {
  std::int64_t remainder = 0;
  for (std::int64_t i = 1; i <= n; ++i) {
    for (const char digit : fmt::format("{}", i)) {
      remainder = (remainder * 10 + (digit - '0')) % modulus;
    }
  }
  return remainder;
}

TEST(PrefixConcatenation, AgreesWithWritingTheDigits) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("PrefixConcatenation", static_cast<int>(seed % 9), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(remainder_by_digits(parameter["N"].get<std::int64_t>(),
                                                parameter["M"].get<std::int64_t>())));
  }
}

TEST(PrefixConcatenation, IsRightAroundPowersOfTen) {
  for (const std::int64_t n : {1, 9, 10, 99, 100, 101, 999, 1000, 9999, 10000}) {
    for (const std::int64_t modulus : {1, 3, 10, 999983}) {
      const auto problem =
          restore_problem("PrefixConcatenation",
                          fmt::format(R"({{"MAX_N": 10000, "N": {}, "M": {}}})", n, modulus));
      EXPECT_EQ(problem->reference(), format_answer(remainder_by_digits(n, modulus)));
    }
  }
}

// Modulo 9 the number is as its sum of terms, whatever its length.
TEST(PrefixConcatenation, TakesTheLargestN) {
  const auto problem =
      restore_problem("PrefixConcatenation", R"({"MAX_N": 9, "N": 2305843009213693952, "M": 9})");
  const BigInt n = BigInt(1) << 61;
  EXPECT_EQ(problem->reference(), format_answer(BigInt(n * (n + 1) / 2 % 9)));
}

}  // namespace
}  // namespace redqueen
