#include <bit>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Tries every n up to 4 d.
int fewest_ones(std::uint64_t d) {
  int fewest = 64;
  for (std::uint64_t n = 0; n <= 4 * d; ++n) fewest = std::min(fewest, std::popcount(n ^ (n + d)));
  return fewest;
}

TEST(DeltaMinPopcount, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("DeltaMinPopcount", static_cast<int>(seed % 7), seed);
    const auto text = problem->parameter()["binary_string"].get<std::string>();
    EXPECT_EQ(problem->reference(), format_answer(fewest_ones(std::stoull(text, nullptr, 2))));
  }
}

TEST(DeltaMinPopcount, AgreesWithBruteForceOnEveryNumber) {
  for (int d = 1; d < 200; ++d) {
    std::string bits;
    for (int rest = d; rest > 0; rest /= 2) bits.insert(bits.begin(), rest % 2 == 1 ? '1' : '0');
    const auto problem = restore_problem(
        "DeltaMinPopcount",
        fmt::format(R"({{"digit_num": {}, "binary_string": "{}"}})", bits.size(), bits));
    EXPECT_EQ(problem->reference(), format_answer(fewest_ones(static_cast<std::uint64_t>(d))));
  }
}

TEST(DeltaMinPopcount, SpreadsItsAnswers) {
  std::set<std::string> answers;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    answers.insert(make_problem("DeltaMinPopcount", 10, seed)->reference());
  }
  EXPECT_GE(answers.size(), 6u);
}

}  // namespace
}  // namespace redqueen
