#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

BigInt product_by_double_loop(int n, int m, std::int64_t modulus) {
  std::vector<BigInt> fibonacci{0, 1};
  while (fibonacci.size() <= static_cast<std::size_t>(std::max(n, m))) {
    fibonacci.push_back(fibonacci[fibonacci.size() - 1] + fibonacci[fibonacci.size() - 2]);
  }
  BigInt product = 1;
  for (int i = 1; i <= n; ++i) {
    for (int j = 1; j <= m; ++j) product = product * fibonacci[std::gcd(i, j)] % modulus;
  }
  return product;
}

TEST(GCDFibonacciProduct, AgreesWithADoubleLoop) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("GCDFibonacciProduct", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(), format_answer(product_by_double_loop(
                                        parameter["N"].get<int>(), parameter["M"].get<int>(),
                                        parameter["MOD"].get<std::int64_t>())));
  }
}

// A modulus that divides some of the Fibonacci numbers.
TEST(GCDFibonacciProduct, TakesAnyModulus) {
  for (const int modulus : {2, 3, 8, 13, 1000}) {
    const auto problem =
        restore_problem("GCDFibonacciProduct",
                        fmt::format(R"({{"MAX_N_M": 9, "N": 9, "M": 8, "MOD": {}}})", modulus));
    EXPECT_EQ(problem->reference(), format_answer(product_by_double_loop(9, 8, modulus)));
  }
}

TEST(GCDFibonacciProduct, PaysLessForWhatIsNoResidue) {
  const auto problem =
      restore_problem("GCDFibonacciProduct", R"({"MAX_N_M": 5, "N": 3, "M": 3, "MOD": 998244353})");
  EXPECT_EQ(problem->reference(), "2");
  EXPECT_EQ(problem->score("998244355").reward, kInvalidReward);
  EXPECT_EQ(problem->score("-1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("3").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
