#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All sets of places to cut at.
std::int64_t count_of_all(const std::string& s) {
  std::int64_t count = 0;
  for (std::uint32_t cuts = 0; cuts < 1u << (s.size() - 1); ++cuts) {
    bool all_mirrored = true;
    std::string piece;
    for (std::size_t i = 0; i < s.size(); ++i) {
      piece += s[i];
      if ((cuts >> i & 1) == 0 && i + 1 < s.size()) continue;
      all_mirrored = all_mirrored && piece == std::string(piece.rbegin(), piece.rend());
      piece.clear();
    }
    count += all_mirrored;
  }
  return count;
}

TEST(PalindromePartitionCounting, AgreesWithAllCuts) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem =
        make_problem("PalindromePartitionCounting", static_cast<int>(seed % 6), seed);
    EXPECT_EQ(problem->reference(),
              format_answer(count_of_all(problem->parameter()["S"].get<std::string>())));
  }
}

TEST(PalindromePartitionCounting, CountsBeyond64Bits) {
  // 2^69.
  Json number = *parse_json(R"({"reference_answer": 590295810358705651712})");
  number["N"] = 70;
  number["S"] = std::string(70, '1');
  const auto problem = Registry::native().find("PalindromePartitionCounting")->restore(number);
  ASSERT_TRUE(problem.has_value()) << problem.error().message;
  EXPECT_TRUE((*problem)->score("590295810358705651712").solved);
  EXPECT_FALSE((*problem)->score("590295810358705651713").solved);
}

}  // namespace
}  // namespace redqueen
