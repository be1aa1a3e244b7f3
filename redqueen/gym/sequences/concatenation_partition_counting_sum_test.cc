#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All cuts, with F by its recurrence.
TEST(ConcatenationPartitionCountingSum, AgreesWithAllCuts) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("ConcatenationPartitionCountingSum", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const auto s = parameter["S"].get<std::string>();
    const auto m = parameter["M"].get<std::int64_t>();
    const auto modulus = parameter["MOD"].get<std::int64_t>();
    std::vector<std::int64_t> f{1};
    for (std::int64_t n = 1; n <= 10'000; ++n) {
      f.push_back(0);
      for (std::int64_t part = 1; part <= std::min(n, m); ++part) f[n] += f[n - part];
      f[n] %= modulus;
    }
    std::int64_t total = 0;
    for (std::uint32_t cuts = 0; cuts < 1u << (s.size() - 1); ++cuts) {
      std::int64_t sum = 0;
      std::string piece;
      for (std::size_t i = 0; i < s.size(); ++i) {
        piece += s[i];
        if ((cuts >> i & 1) == 0 && i + 1 < s.size()) continue;
        sum += std::stoll(piece);
        piece.clear();
      }
      total += f[sum];
    }
    EXPECT_EQ(problem->reference(), format_answer(total % modulus)) << problem->prompt();
  }
}

TEST(ConcatenationPartitionCountingSum, ReadsLeadingZerosAndCountsOnePartition) {
  const auto problem =
      restore_problem("ConcatenationPartitionCountingSum",
                      R"({"N": 3, "M": 1, "S": "007", "MOD": 100, "reference_answer": 4})");
  EXPECT_TRUE(problem->score("4").solved);
  EXPECT_EQ(problem->score("104").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
